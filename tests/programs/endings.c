/* endings.c - every way a program can end, with allocation in the odd places before and after.
 *
 * `endings HOW`. Each way prints the same with and without a probe and has its own status.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

static char *early; /* made before main */

static void preinit(void)
{
    early = malloc(100);
    memset(early, 'p', 100);
}
__attribute__((section(".preinit_array"), used)) static void (*const at_preinit)(void) = preinit;

__attribute__((constructor(101))) static void construct(void)
{
    early = realloc(early, 200);
    memset(early + 100, 'c', 100);
}

__attribute__((destructor)) static void destruct(void)
{
    char *late = malloc(3000);

    memset(late, 'd', 3000);
    late = realloc(late, 300000);
    say("destructor %c %c\n", late[2999], early[0]);
    free(late);
    free(early);
}

static void at_the_end(void)
{
    void *block = calloc(100, 100);

    say("atexit %d\n", block != NULL);
    free(block);
}

static void at_quick_exit_call(void)
{
    void *block = malloc(100);

    say("at_quick_exit %d\n", block != NULL);
    free(block);
}

static void *exit_with_seven(void *unused)
{
    free(malloc(1000));
    (void)unused;
    exit(7);
}

static void *linger(void *unused)
{
    for (;;)
        free(malloc(64));
    return unused;
}

static void on_key_end(void *value)
{
    char *late = malloc(500);

    memset(late, 1, 500);
    free(value);
    free(late);
    say("key destructor\n");
}

static void *use_key(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, malloc(77));
    return NULL;
}

static int end_thread_by_key(void)
{
    pthread_key_t key;
    pthread_t thread;

    pthread_key_create(&key, on_key_end);
    pthread_create(&thread, NULL, use_key, &key);
    pthread_join(thread, NULL);
    return 0;
}

static int end_main_thread_first(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, exit_with_seven, NULL);
    pthread_exit(NULL);
}

static int exit_beside_a_busy_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, linger, NULL);
    usleep(20000);
    exit(9);
}

static int end(const char *how)
{
    pthread_t thread;

    if (strcmp(how, "return") == 0)
        return 3;
    if (strcmp(how, "exit") == 0)
        exit(4);
    if (strcmp(how, "_exit") == 0)
        _exit(5);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(6);
    if (strcmp(how, "thread_exit") == 0) {
        pthread_create(&thread, NULL, exit_with_seven, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(how, "main_thread_first") == 0)
        return end_main_thread_first();
    if (strcmp(how, "busy_thread") == 0)
        return exit_beside_a_busy_thread();
    if (strcmp(how, "thread_key") == 0)
        return end_thread_by_key();
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "term") == 0)
        raise(SIGTERM);
    return 2;
}

int main(int count, char **words)
{
    void *block = malloc(12345);

    say("early %.3s%.3s\n", early, early + 100);
    atexit(at_the_end);
    at_quick_exit(at_quick_exit_call);
    free(block);
    return end(count > 1 ? words[1] : "return");
}
