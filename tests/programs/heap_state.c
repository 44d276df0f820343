/* heap_state.c - prints what a program can see of its own heap and process.
 *
 * It is the same with and without a probe. Addresses are offsets from the start of the heap, so that
 * where it begins does not matter.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "say.h"

#define BLOCKS 1000

static void *blocks[BLOCKS];

static size_t size_of(unsigned i)
{
    return (size_t)(i * 2654435761u % 6000) + 1;
}

/* Offsets of the first thousand blocks, some released on the way, folded into one number. */
static void addresses(const char *heap)
{
    uint64_t hash = 1469598103934665603u;

    for (unsigned i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(size_of(i));
        hash = (hash ^ (uint64_t)((char *)blocks[i] - heap)) * 1099511628211u;
        if (i % 3 == 2) {
            free(blocks[i - 1]);
            blocks[i - 1] = NULL;
        }
    }
    say("first %ld, all %llx\n", (long)((char *)blocks[0] - heap), (unsigned long long)hash);
}

/* The smallest block that gets a mapping of its own. */
static size_t smallest_mapped(void)
{
    for (size_t size = 64 * 1024; size < 4u << 20; size += 4096) {
        char *block = malloc(size);
        const int mapped = ((size_t *)(void *)block)[-1] & 2;

        if (mapped)
            return size; /* not released: that would raise the bound */
        free(block);
    }
    return 0;
}

static void numbers(void)
{
    const struct mallinfo2 info = mallinfo2();

    say("arena %zu, free chunks %zu, mapped %zu in %zu, in use %zu, free %zu, top %zu\n", info.arena,
        info.ordblks, info.hblkhd, info.hblks, info.uordblks, info.fordblks, info.keepcost);
}

static void *other_thread(void *unused)
{
    free(malloc(100));
    return unused;
}

/* How many arenas there are is part of malloc_info's text. */
static void arenas(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    unsigned count = 0;
    pthread_t thread;

    (void)pthread_create(&thread, NULL, other_thread, NULL);
    (void)pthread_join(thread, NULL);
    (void)malloc_info(0, stream);
    (void)fclose(stream);
    for (const char *at = text; (at = strstr(at, "<heap nr=")) != NULL; at++)
        count++;
    say("arenas %u\n", count);
    free(text);
}

static void process(void)
{
    const int fd = open("/dev/null", O_RDONLY);
    struct rlimit stack;
    sigset_t blocked;
    int count = 0;

    (void)sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int i = 1; i < 65; i++) {
        struct sigaction action;

        count += sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
    }
    (void)getrlimit(RLIMIT_STACK, &stack);
    say("descriptor %d, handlers %d, blocked %d, stack %ld, error %s\n", fd, count,
        sigismember(&blocked, SIGINT), (long)stack.rlim_cur, dlerror() ? "yes" : "no");
}

int main(void)
{
    const char *heap = sbrk(0); /* nothing has been allocated yet */

    process();
    addresses(heap);
    numbers();
    say("smallest mapped %zu\n", smallest_mapped());
    (void)malloc_trim(0);
    numbers();
    arenas();
    return 0;
}
