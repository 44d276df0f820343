/* started.c - a program to be started: allocates, says what it was given, and returns 7. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int count, char **words)
{
    static const char *const shown[] = {"LD_PRELOAD", "PYTHONPATH", "NODE_OPTIONS"};
    size_t variables = 0;
    char *block = NULL;

    for (int i = 0; i < 1000; i++) {
        free(block);
        block = malloc(1000);
        memset(block, i, 1000);
    }
    free(block);
    for (char **at = environ; *at; at++)
        variables += strncmp(*at, "TARE_", 5) != 0;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        variables -= getenv(shown[i]) != NULL;
        printf("%s=%s\n", shown[i], getenv(shown[i]) ? getenv(shown[i]) : "(none)");
    }
    printf("%s, and %zu other variables\n", count > 1 ? words[1] : "", variables);
    return 7;
}
