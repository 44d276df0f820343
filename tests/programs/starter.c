/* starter.c - every way to start another program. `starter HOW PROGRAM [WORD]`: starts PROGRAM,
 * which is a path, with WORD, waits for it where it has not become it, and says how it ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "say.h"

extern char **environ;

static char *program, *word, *words[3];

/* The program's folder goes to the front of PATH: its name alone finds it. */
static const char *bare_name(void)
{
    static char path[8192]; /* a coroutine's stack is small */
    char *slash = strrchr(program, '/');

    snprintf(path, sizeof(path), "%.*s:%s", (int)(slash - program), program, getenv("PATH"));
    setenv("PATH", path, 1);
    return slash + 1;
}

static char *folder(void)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%.*s", (int)(strrchr(program, '/') - program), program);
    return path;
}

/* ---- by which call ---- */

static void become(const char *how)
{
    if (strcmp(how, "execve") == 0)
        execve(program, words, environ);
    if (strcmp(how, "execv") == 0)
        execv(program, words);
    if (strcmp(how, "execvp") == 0)
        execvp(bare_name(), words);
    if (strcmp(how, "execvp_path") == 0)
        execvp(program, words);
    if (strcmp(how, "execvpe") == 0)
        execvpe(bare_name(), words, environ);
    if (strcmp(how, "execl") == 0)
        execl(program, program, word, (char *)NULL);
    if (strcmp(how, "execlp") == 0)
        execlp(bare_name(), program, word, (char *)NULL);
    if (strcmp(how, "execle") == 0)
        execle(program, program, word, (char *)NULL, environ);
    if (strcmp(how, "fexecve") == 0)
        fexecve(open(program, O_RDONLY | O_CLOEXEC), words, environ);
    if (strcmp(how, "fexecve_path") == 0)
        fexecve(open(program, O_PATH | O_CLOEXEC), words, environ);
    if (strcmp(how, "execveat") == 0)
        execveat(open(folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), bare_name(), words, environ,
                 0);
    if (strcmp(how, "execveat_empty") == 0)
        execveat(open(program, O_RDONLY | O_CLOEXEC), "", words, environ, AT_EMPTY_PATH);
    say("%s: %s\n", how, strerror(errno));
    _exit(98);
}

static int waited(pid_t child)
{
    int status = -1;

    if (child <= 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int spawned(const char *how)
{
    pid_t child = 0;
    const int error = strcmp(how, "posix_spawn") == 0
                          ? posix_spawn(&child, program, NULL, NULL, words, environ)
                          : posix_spawnp(&child, bare_name(), NULL, NULL, words, environ);

    if (error)
        say("%s: %s\n", how, strerror(error));
    return waited(child);
}

/* ---- from where ---- */

static int by_vfork(const char *how)
{
    const pid_t child = vfork();

    if (child == 0)
        become(how);
    return waited(child);
}

static int by_fork(const char *how)
{
    const pid_t child = fork();

    if (child == 0)
        become(how);
    return waited(child);
}

static void *in_thread(void *how)
{
    static int answer;

    answer = by_vfork(how);
    return &answer;
}

static int by_thread(const char *how)
{
    pthread_t thread;
    void *answer = NULL;

    pthread_create(&thread, NULL, in_thread, (void *)how);
    pthread_join(thread, &answer);
    return answer ? *(int *)answer : -1;
}

/* A coroutine with 16 KB: the loader, which binds the call, alone takes a few. */
static ucontext_t back;
static const char *small_how;
static int small_answer;

static void on_small_stack(void)
{
    small_answer = by_fork(small_how);
}

static int by_coroutine(const char *how)
{
    static char stack[16384];
    static ucontext_t there;

    small_how = how;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof(stack);
    there.uc_link = &back;
    makecontext(&there, on_small_stack, 0);
    swapcontext(&back, &there);
    return small_answer;
}

/* In a handler on an alternate stack, as one does who starts a debugger when it crashes. */
static void handler(int number)
{
    (void)number;
    become(small_how);
}

static int by_handler(const char *how)
{
    static char stack[8192];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

    small_how = how;
    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    return 97;
}

/* Files are not to be opened any more: who tries is killed. A static program needs none. */
static int by_filter(const char *how)
{
    static struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {sizeof(rules) / sizeof(rules[0]), rules};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 96;
    become(how);
    return 98;
}

/* ---- many ---- */

static int count_maps(void)
{
    FILE *file = fopen("/proc/self/maps", "re");
    int lines = 0;

    for (int c; file && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

/* Two hundred vfork children with an environment of 400 variables: what is left in the parent? */
static int many(void)
{
    int before = 0, sum = 0;

    for (int i = 0; i < 400; i++) {
        char name[32];

        snprintf(name, sizeof(name), "VARIABLE_%d", i);
        setenv(name, "a value", 1);
    }
    for (int i = 0; i < 200; i++) {
        sum += by_vfork("execve");
        if (i == 20)
            before = count_maps();
    }
    say("%s\n", count_maps() - before < 20 ? "no maps were left" : "maps were left");
    return sum == 200 * 7 ? 7 : sum % 97;
}

/* A file that is not there, one that may not be executed, one that is no program: then a real one.
 */
static int failures(void)
{
    char *const refused[] = {(char *)"/no/such/file", (char *)"/etc/passwd", (char *)"/",
                             (char *)"/dev/null", NULL};

    for (char *const *path = refused; *path; path++) {
        pid_t child = 0;

        errno = 0;
        execve(*path, words, environ);
        say("%s %d", *path, errno);
        execvp(*path, words);
        say(" %d", errno);
        say(" %d\n", posix_spawn(&child, *path, NULL, NULL, words, environ));
    }
    errno = 0;
    execvp("no-such-command-here", words);
    say("%d\n", errno);
    execve(program, words, environ);
    return 98;
}

static int shell(const char *how)
{
    char line[4096];
    FILE *out;
    int status;

    snprintf(line, sizeof(line), "%s %s", program, word);
    if (strcmp(how, "system") == 0)
        return WEXITSTATUS(system(line));
    out = popen(line, "re");
    while (fgets(line, sizeof(line), out))
        say("%s", line);
    status = pclose(out);
    return WEXITSTATUS(status);
}

static int dispatch(const char *how)
{
    static const struct {
        const char *name;
        int (*start)(const char *);
    } from[] = {{"vfork_", by_vfork},         {"fork_", by_fork},       {"thread_", by_thread},
                {"coroutine_", by_coroutine}, {"handler_", by_handler}, {"filter_", by_filter}};

    for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
        if (strncmp(how, from[i].name, strlen(from[i].name)) == 0)
            return from[i].start(how + strlen(from[i].name));
    if (strcmp(how, "many") == 0)
        return many();
    if (strcmp(how, "failures") == 0)
        return failures();
    if (strncmp(how, "posix_spawn", 11) == 0)
        return spawned(how);
    if (strcmp(how, "system") == 0 || strcmp(how, "popen") == 0)
        return shell(how);
    become(how);
    return 98;
}

int main(int count, char **arguments)
{
    int answer;

    if (count < 3)
        return 2;
    program = arguments[2];
    word = count > 3 ? arguments[3] : (char *)"word";
    words[0] = program;
    words[1] = word;
    answer = dispatch(arguments[1]);
    say("%s %d\n", arguments[1], answer);
    return answer;
}
