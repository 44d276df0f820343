/* resident.c - a busy heap on four threads; prints its own resident size, now and at most, in kB.
 *
 * `resident MEGABYTES`: that much is held, in blocks of 100 to 10,000 bytes, while four threads
 * replace them a few times over.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#define THREADS 4

static size_t each; /* blocks per thread */

static void *work(void *argument)
{
    void **blocks = calloc(each, sizeof(*blocks));
    uint64_t random = 88172645463325252ull + (uint64_t)(uintptr_t)argument;

    for (size_t i = 0; i < each * 4; i++) {
        size_t size;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        size = 100 + random % 9900;
        free(blocks[i % each]);
        blocks[i % each] = memset(malloc(size), 1, size);
    }
    return blocks;
}

static long status_line(const char *status, const char *name)
{
    const char *at = strstr(status, name);

    return at ? atol(at + strlen(name)) : -1;
}

int main(int count, char **words)
{
    pthread_t threads[THREADS];
    char status[4096];
    ssize_t length;
    int fd;

    each = (size_t)(count > 1 ? atol(words[1]) : 10) * 1000000 / 5000 / THREADS;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fd = open("/proc/self/status", O_RDONLY);
    length = read(fd, status, sizeof(status) - 1);
    if (length < 0)
        return 1;
    status[length] = 0;
    say("%ld %ld\n", status_line(status, "VmRSS:"), status_line(status, "VmHWM:"));
    return 0;
}
