/* remedies.c - see remedies.h. */
#include "doctor/remedies.h"

#include <string.h>

#include "doctor/rules.h"

static const struct remedy remedies[] = {
#define REMEDY(name, text, code, setting) {text, code, setting},
#include "doctor/remedies.def"
#undef REMEDY
};

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

struct remedy remedy_of(enum remedy_name name)
{
    const struct remedy *found = &remedies[name];

    return (struct remedy){found->text, or_null(found->code), or_null(found->setting)};
}

struct remedy remedy_for_allocator(const char *allocator, uint64_t threads, bool pinned)
{
    if (strstr(allocator, "jemalloc"))
        return remedy_of(REMEDY_jemalloc);
    if (strstr(allocator, "tcmalloc"))
        return remedy_of(REMEDY_tcmalloc);
    if (strstr(allocator, "mimalloc"))
        return remedy_of(REMEDY_mimalloc);
    if (threads >= RULE_MANY_THREADS)
        return remedy_of(REMEDY_glibc_arenas);
    return remedy_of(pinned ? REMEDY_glibc_pinned : REMEDY_glibc_trim);
}
