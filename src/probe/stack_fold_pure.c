/* stack_fold_pure.c - see stack_fold_pure.h. */
#include "probe/stack_fold_pure.h"

unsigned stack_fold_choose(const bool *library, unsigned count, uint16_t *stay)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++) {
        const bool called_by_program = i + 1 < count && !library[i + 1];

        if (count <= FOLD_DEEP || i < FOLD_INNERMOST || called_by_program || !library[i])
            stay[kept++] = (uint16_t)i;
    }
    return kept;
}
