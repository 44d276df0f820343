/* native_name_pure.c - see native_name_pure.h. */
#include "probe/search/native_name_pure.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "13AddmmBackward0": the bytes that it takes, 0: it is none. */
static size_t source_name(const char *at, const char **name, size_t *length)
{
    size_t digits = 0, value = 0;

    while (is_digit(at[digits]) && value < 1000)
        value = value * 10 + (size_t)(at[digits++] - '0');
    if (digits == 0 || value == 0 || value >= 1000 || strnlen(at + digits, value) < value)
        return 0;
    *name = at + digits;
    *length = value;
    return digits + value;
}

/* "I…E", with what is nested in it; the bytes that it takes, 0: it never ends. */
static size_t template_arguments(const char *at)
{
    size_t depth = 0, i = 0;
    const char *name;
    size_t length;

    while (at[i]) {
        const size_t part = is_digit(at[i]) ? source_name(at + i, &name, &length) : 0;

        if (part) {
            i += part;
            continue;
        }
        if (at[i] == 'I' || at[i] == 'N' || at[i] == 'J' || at[i] == 'X' || at[i] == 'L' ||
            at[i] == 'F')
            depth++;
        else if (at[i] == 'E' && --depth == 0)
            return i + 1;
        i++;
    }
    return 0;
}

bool native_name(const char *encoded, char *to, size_t size)
{
    const char *at = encoded + (encoded[0] == '*'), *name = NULL, *part_name;
    const bool nested = *at == 'N';
    size_t length = 0, part_length, part;

    at += nested;
    if (at[0] == 'S' && (at[1] == 't' || at[1] == 'a' || at[1] == 'b' || at[1] == 's'))
        at += 2; /* std:: and what is short for it */
    while (*at && *at != 'E') {
        if (*at == 'I') {
            part = template_arguments(at);
        } else {
            part = source_name(at, &part_name, &part_length);
            if (part && strncmp(part_name, "_GLOBAL__N_", 11) != 0) {
                name = part_name;
                length = part_length;
            }
        }
        if (part == 0)
            break;
        at += part;
        if (!nested && *at != 'I')
            break;
    }
    if (!name || length >= size)
        return false;
    memcpy(to, name, length);
    to[length] = '\0';
    return true;
}
