/* again.c - a program that becomes itself. `again N`: N times, then returns 8. `again N hold`: the
 * last one goes on for a while and keeps 6 MB. `again N starts`: starts N children that end at
 * once. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "say.h"

static void hold(void)
{
    static char *blocks[60];
    const struct timespec pause = {.tv_nsec = 10000000};

    for (int i = 0; i < 60; i++) {
        blocks[i] = malloc(100000);
        memset(blocks[i], i, 100000);
        nanosleep(&pause, NULL);
    }
}

static int start_children(const char *self, int count)
{
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();

        if (child == 0) {
            execl(self, self, "0", (char *)NULL);
            _exit(99);
        }
        waitpid(child, NULL, 0);
    }
    return 8;
}

int main(int count, char **words)
{
    const int left = count > 1 ? atoi(words[1]) : 0;
    char *how = count > 2 ? words[2] : NULL, number[16];

    free(malloc(1000));
    if (how && strcmp(how, "starts") == 0)
        return start_children(words[0], left);
    if (left == 0) {
        if (how)
            hold();
        say("the last\n");
        return 8;
    }
    snprintf(number, sizeof(number), "%d", left - 1);
    execl(words[0], words[0], number, how, (char *)NULL);
    return 99;
}
