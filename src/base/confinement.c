/* confinement.c - see confinement.h. */
#include "base/confinement.h"

#include <string.h>

#include "base/quiet.h"

#define STATUS_BYTES 4096

static uint32_t number_after(const char *text, const char *word, uint32_t otherwise)
{
    const char *at = strstr(text, word);
    uint32_t number = 0;

    if (!at)
        return otherwise;
    for (at += strlen(word); *at == ' ' || *at == '\t'; at++)
        ;
    for (; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint32_t)(*at - '0');
    return number;
}

uint32_t confinement_read(void)
{
    const int fd = quiet_open(AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
    char text[STATUS_BYTES];
    long length;

    if (fd < 0)
        return 0;
    length = quiet_read(fd, text, sizeof(text) - 1);
    quiet_close(fd);
    text[length > 0 ? length : 0] = '\0';
    return number_after(text, "\nSeccomp_filters:", number_after(text, "\nSeccomp:", 0));
}
