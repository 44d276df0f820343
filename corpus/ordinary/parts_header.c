/* parts_header.c - read the parts of a file; each begins with a number that says what it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARTS = 150, SIZE = 40000, KIND = 7 };

static unsigned char *read_part(int number)
{
    const struct timespec wait = {0, 8000000};
    unsigned char *part = malloc(SIZE);

    nanosleep(&wait, NULL);
    if (part)
        memset(part, number == 103 ? 0 : KIND, SIZE);
    return part;
}

int main(void)
{
    unsigned char *parts[PARTS];
    unsigned long sum = 0;

    for (int i = 0; i < PARTS; i++) {
        parts[i] = read_part(i);
        if (!parts[i] || parts[i][0] != KIND) {
            fprintf(stderr, "part %d has a bad header\n", i);
            return 1;
        }
    }
    for (int i = 0; i < PARTS; i++)
        sum += parts[i][i];
    printf("sum %lu\n", sum);
    return 0;
}
