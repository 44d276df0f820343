/* tensors.c - a program that keeps, or does not keep, tensors on a device (standin_allocator.c).
 *
 *     tensors STEPS KEPT_BYTES DEVICE REFUSED PAUSE
 *
 * Each step makes and drops 20 tensors, and keeps one of KEPT_BYTES. After each it sleeps for PAUSE
 * microseconds. At the end a request of REFUSED bytes is refused.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>
#include <unistd.h>

uint64_t standin_take(int device, uint64_t bytes);
void standin_give(int device, uint64_t address, uint64_t bytes);
void standin_refuse(int device, uint64_t bytes);
unsigned long standin_reported(void);

struct tensor {
    struct tensor *next;
    uint64_t data, bytes;
};

static struct tensor *history;

static struct tensor *make(int device, uint64_t bytes)
{
    struct tensor *tensor = malloc(sizeof(*tensor));

    *tensor = (struct tensor){.data = standin_take(device, bytes), .bytes = bytes};
    return tensor;
}

static void drop(int device, struct tensor *tensor)
{
    standin_give(device, tensor->data, tensor->bytes);
    free(tensor);
}

static void keep(int device, uint64_t bytes)
{
    struct tensor *kept = make(device, bytes);

    kept->next = history;
    history = kept;
}

int main(int argc, char **argv)
{
    const long steps = argc > 1 ? atol(argv[1]) : 100;
    const uint64_t kept = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const int device = argc > 3 ? atoi(argv[3]) : 0;
    const uint64_t refused = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
    const useconds_t pause = argc > 5 ? (useconds_t)atol(argv[5]) : 0;

    for (long i = 0; i < steps; i++) {
        struct tensor *some[20];

        for (int j = 0; j < 20; j++)
            some[j] = make(device, 4096u * (unsigned)(j + 1));
        if (kept)
            keep(device, kept);
        for (int j = 0; j < 20; j++)
            drop(device, some[j]);
        tare_step((uint64_t)i);
        if (pause)
            (void)usleep(pause);
    }
    if (refused)
        standin_refuse(device, refused);
    printf("%lu reports\n", standin_reported());
    return 0;
}
