/* explain_library.c - memory that a library has lost: the program's code cannot free it. */
#include "doctor/judge/explain.h"

#include "base/arena.h"
#include "ledger/model.h"

/* The native code that the language called: the outermost that does not only serve. NULL: none. */
static const struct native_place *entry_of(const struct finding *finding)
{
    for (size_t i = finding->native_count; i-- > 0;)
        if (!finding->native[i].serves)
            return &finding->native[i];
    return NULL;
}

/* All of it was installed. What calls a function for the program (libffi) decides nothing about its memory:
 * the program may have to free it. */
static bool all_installed(const struct finding *finding)
{
    for (size_t i = 0; i < finding->native_count; i++) {
        const struct native_place *place = &finding->native[i];

        if (!place->module || place->foreign || !(place->installed || place->serves))
            return false;
    }
    return true;
}

/* A search has read all memory and nothing leads to the blocks any more. Objects of a language free their
 * native memory when they go, so a package whose native code allocated them has forgotten them. */
bool explain_lost_in_library(struct finding *finding, struct visit *visit)
{
    const struct native_place *entry = entry_of(finding);
    const bool script = entry && finding->allocated_count > 0 &&
                        finding->allocated_at[0].language == LANGUAGE_JAVASCRIPT;

    if (finding->kind != KIND_native || !entry || !entry->packaged || !all_installed(finding))
        return false;
    finding->library = entry->package
                           ? arena_print(visit->arena, "%s %s", entry->package, entry->version)
                           : entry->module;
    finding->headline = FACT_OF(leaks_in_library, 0);
    advise(finding, script ? REMEDY_lost_in_library : REMEDY_lost_in_library_python);
    return true;
}
