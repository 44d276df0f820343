/* node_options_pure.c - see node_options_pure.h. */
#include "probe/js/node_options_pure.h"

#include <stddef.h>
#include <string.h>

#define OURS       "--require=/"
#define OUR_SCRIPT "/node/tare.cjs"

/* Options under which Node reads only what it was granted; what may follow is "=" or the end. Node
 * takes an underscore for a dash. */
static const char *const confining[] = {"--permission", "--experimental-permission",
                                        "--experimental-policy"};

/* Is the option of `length` characters this one, with a value or without? */
static bool is_option(const char *word, size_t length, const char *option)
{
    size_t i = 0;

    while (i < length && option[i] && (word[i] == '_' && i > 1 ? '-' : word[i]) == option[i])
        i++;
    return option[i] == 0 && (i == length || word[i] == '=');
}

static bool confines(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof(confining) / sizeof(confining[0]); i++)
        if (is_option(word, length, confining[i]))
            return true;
    return false;
}

bool node_is_confined(int count, char *const *words)
{
    bool may_be_value = false; /* of the option before */

    for (int i = 1; i < count && words[i]; i++) {
        const char *word = words[i];

        if (strcmp(word, "--") == 0 || (word[0] != '-' && !may_be_value))
            return false;
        if (confines(word, strlen(word)))
            return true;
        may_be_value = word[0] == '-' && !strchr(word, '=');
    }
    return false;
}

bool node_options_confine(const char *options)
{
    const char *at = options;

    for (;;) {
        size_t length;

        at += strspn(at, " ");
        length = strcspn(at, " ");
        if (length == 0)
            return false;
        if (confines(at, length))
            return true;
        at += length;
    }
}

bool node_options_drop(char *options)
{
    const size_t ours = strlen(OURS), script = strlen(OUR_SCRIPT);

    for (char *at = options; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        const char *rest = at + length + strspn(at + length, " ");

        if (length > ours + script && memcmp(at, OURS, ours) == 0 &&
            memcmp(at + length - script, OUR_SCRIPT, script) == 0) {
            memmove(at, rest, strlen(rest) + 1);
            return true;
        }
        at += length;
    }
    return false;
}
