/* stack_fold.c - see stack_fold.h. */
#include "probe/record/stack_fold.h"

#include <stdbool.h>
#include <string.h>

#include "base/python_path.h"
#include "probe/record/remembered.h"

#define FRAMES_MAX 512
#define UNITS_MAX 32768 /* of which it is remembered whose they are: the section's capacity */

static uint8_t known[UNITS_MAX]; /* remembered.h: is its code a library's? */

static bool is_library(const struct ledger *ledger, uint32_t place)
{
    const struct code_record *record = ledger_records(ledger, SECTION_code);
    const char *file = ledger_text(ledger, record[place].file);

    return file && python_path_is_library(file);
}

/* While half of the table is free every stack is kept as it is. */
static bool has_room(const struct ledger *ledger)
{
    const struct section_entry *entry = ledger_entry(ledger, SECTION_stacks);

    return 2 * __atomic_load_n(&entry->used, __ATOMIC_RELAXED) <= entry->capacity;
}

unsigned stack_fold(const struct ledger *ledger, struct native_frame *frames, unsigned count)
{
    bool library[FRAMES_MAX];
    uint16_t stay[FRAMES_MAX];
    unsigned kept;

    if (count <= FOLD_DEEP || count > FRAMES_MAX || has_room(ledger))
        return count;
    for (unsigned i = 0; i < count; i++)
        library[i] = remembered(known, UNITS_MAX, frames[i].unit, is_library, ledger);
    kept = stack_fold_choose(library, count, stay);
    for (unsigned i = 0; i < kept; i++)
        frames[i] = frames[stay[i]];
    return kept;
}

void stack_fold_forked(void)
{
    memset(known, 0, sizeof(known));
}
