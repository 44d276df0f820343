/* steps.c - allocates, forks and threads in marked steps until it is killed.
 *
 * `steps FILE [COUNT]`: before each mark the number of the step is written into FILE, which is
 * mapped and shared, so that it survives a kill at any instant. A child writes nothing there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tare/mark.h>
#include <unistd.h>

#define KEPT 2000

static void *kept[KEPT];

static void *churn(void *unused)
{
    for (int i = 0; i < 500; i++) {
        char *block = malloc((size_t)(i % 40) * 60 + 1);

        block[0] = 1;
        free(block);
    }
    return unused;
}

static void step(uint64_t number)
{
    pthread_t thread;

    pthread_create(&thread, NULL, churn, NULL);
    for (int i = 0; i < 50; i++) {
        void **slot = &kept[(number * 50 + (uint64_t)i) % KEPT];

        free(*slot);
        *slot = malloc(200 + (size_t)i * 10);
    }
    pthread_join(thread, NULL);
    if (number % 16 == 0) {
        const pid_t child = fork();

        if (child == 0) {
            churn(NULL);
            tare_step(number);
            churn(NULL);
            _exit(0);
        }
        if (child > 0)
            waitpid(child, NULL, 0);
    }
}

int main(int count, char **words)
{
    const uint64_t last = count > 2 ? strtoull(words[2], NULL, 10) : UINT64_MAX;
    const int fd = count > 1 ? open(words[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    volatile uint64_t *written;

    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return 2;
    written = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (written == MAP_FAILED)
        return 2;
    for (uint64_t number = 1; number <= last; number++) {
        *written = number;
        tare_step(number);
        step(number);
    }
    return 0;
}
