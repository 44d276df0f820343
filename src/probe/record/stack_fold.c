/* stack_fold.c - see stack_fold.h. */
#include "probe/record/stack_fold.h"

#include <stdbool.h>
#include <string.h>

#include "base/python_path.h"

#define FRAMES_MAX 512
#define UNITS_MAX 32768 /* of which it is remembered whose they are: the section's capacity */

enum known { NOT_ASKED = 0, OF_PROGRAM = 1, OF_LIBRARY = 2 };

static uint8_t known[UNITS_MAX]; /* atomic: enum known, by unit */

static bool is_library(const struct ledger *ledger, uint32_t unit)
{
    const struct code_record *record = ledger_records(ledger, SECTION_code);
    uint8_t answer;

    if (unit == 0 || unit >= UNITS_MAX)
        return false;
    answer = __atomic_load_n(&known[unit], __ATOMIC_RELAXED);
    if (answer == NOT_ASKED) {
        const char *file = ledger_text(ledger, record[unit - 1].file);

        answer = file && python_path_is_library(file) ? OF_LIBRARY : OF_PROGRAM;
        __atomic_store_n(&known[unit], answer, __ATOMIC_RELAXED);
    }
    return answer == OF_LIBRARY;
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
        library[i] = is_library(ledger, frames[i].unit);
    kept = stack_fold_choose(library, count, stay);
    for (unsigned i = 0; i < kept; i++)
        frames[i] = frames[stay[i]];
    return kept;
}

void stack_fold_forked(void)
{
    memset(known, 0, sizeof(known));
}
