/* fuzz_allow.c - whatever a file of suppressions contains, its rules are valid and match or do not match. */
#include "promise.h"

#include <string.h>

#include "base/arena.h"
#include "doctor/verbs/allow.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"", "forward", "aaaaaaaaaaaaaaaaaaaaaaaaaaab", "leak:^$*"};
    struct arena *arena = arena_new();
    struct allow allow;
    struct why why = {""};

    if (allow_parse(&allow, "file", (const char *)bytes, size, arena, &why) == 0)
        for (size_t i = 0; i < allow.count; i++) {
            PROMISE(allow.rules[i].pattern[0] != 0 || memchr(bytes, 0, size));
            PROMISE(allow.rules[i].line > 0);
            for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
                (void)allow_fits(allow.rules[i].pattern, names[k]);
        }
    else
        PROMISE(why.text[0] != 0);
    arena_free(arena);
    return 0;
}
