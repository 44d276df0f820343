/* children.c - every way to make a process, with allocation on both sides. `children HOW`. */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "say.h"

extern char **environ;

static void churn(int turns)
{
    for (int i = 0; i < turns; i++) {
        char *block = malloc((size_t)(i % 50) * 100 + 1);

        block[0] = 1;
        free(block);
    }
}

static int wait_for(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Three children at a time, three deep, each with its own heap work; 40 in a row. */
static int fork_storm(int depth)
{
    int sum = 1;

    for (int i = 0; i < 3 && depth > 0; i++) {
        pid_t child = fork();

        if (child == 0) {
            churn(1000);
            exit(fork_storm(depth - 1));
        }
        sum += wait_for(child);
    }
    return sum;
}

static int many_forks(void)
{
    pid_t children[100];
    int sum = 0;

    for (int i = 0; i < 100; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            churn(100);
            _exit(i % 7);
        }
    }
    for (int i = 0; i < 100; i++)
        sum += wait_for(children[i]);
    return sum;
}

static int by_vfork(char **words)
{
    volatile int sum = 0; /* the child shares the frame */

    for (int i = 0; i < 10; i++) {
        pid_t child = vfork();

        if (child == 0) {
            execl(words[0], words[0], "exit", "5", (char *)NULL);
            _exit(99);
        }
        sum = sum + wait_for(child);
    }
    return sum;
}

static int by_spawn(char **words)
{
    char *arguments[] = {words[0], "exit", "6", NULL};
    int sum = 0;

    for (int i = 0; i < 10; i++) {
        pid_t child = -1;

        if (posix_spawn(&child, words[0], NULL, NULL, arguments, environ) != 0)
            return 99;
        sum += wait_for(child);
    }
    return sum;
}

/* A process the C library knows nothing of: no handlers run, its stack and heap are copies. */
static int by_raw_clone(void)
{
    int sum = 0;

    for (int i = 0; i < 10; i++) {
        const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

        if (child == 0) {
            churn(2000);
            syscall(SYS_exit_group, 4);
        }
        sum += wait_for(child);
    }
    return sum;
}

/* exec after exec in one process, each with less environment than the first. */
static int exec_chain(char **words, int left)
{
    char number[16];

    churn(1000);
    if (left == 0)
        return 8;
    snprintf(number, sizeof(number), "%d", left - 1);
    execl(words[0], words[0], "chain", number, (char *)NULL);
    return 99;
}

/* With an environment of its own the program's children are no longer ours to follow. */
static int empty_environment(char **words)
{
    char *arguments[] = {words[0], "exit", "7", NULL};
    char *nothing[] = {NULL};
    pid_t child = fork();

    if (child == 0) {
        execve(words[0], arguments, nothing);
        _exit(99);
    }
    return wait_for(child);
}

static int dispatch(char **words, const char *how, int number)
{
    if (strcmp(how, "storm") == 0)
        return fork_storm(3);
    if (strcmp(how, "many") == 0)
        return many_forks() % 200;
    if (strcmp(how, "vfork") == 0)
        return by_vfork(words);
    if (strcmp(how, "spawn") == 0)
        return by_spawn(words);
    if (strcmp(how, "clone") == 0)
        return by_raw_clone();
    if (strcmp(how, "chain") == 0)
        return exec_chain(words, number);
    if (strcmp(how, "environment") == 0)
        return empty_environment(words);
    churn(100);
    return number;
}

int main(int count, char **words)
{
    void *held = malloc(5000);
    int answer;

    churn(5000);
    answer = dispatch(words, count > 1 ? words[1] : "exit", count > 2 ? atoi(words[2]) : 0);
    if (count < 3)
        say("%s %d\n", count > 1 ? words[1] : "", answer);
    free(held);
    return answer;
}
