/* native.c - parse one message for each step and lose its copy. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tare/mark.h>

static char *copy(const char *text, size_t size)
{
    char *made = malloc(size);

    return memcpy(made, text, size);
}

static size_t parse(const char *message, size_t size)
{
    const char *words = copy(message, size);

    return strcspn(words, " ");
}

int main(void)
{
    static char message[8000] = "hello world";
    size_t sum = 0;

    for (uint64_t step = 0; step < 300; step++) {
        tare_step(step);
        sum += parse(message, sizeof(message));
        usleep(5000);
    }
    return sum == 300 * 5 ? 0 : 1;
}
