/* python.c - CPython: reference counts free most objects at once, a collector frees the cycles.
 *
 * The variables of a module live until the interpreter ends, so a collection at the end finds them held.
 */
#include "doctor/measure/collected.h"
#include "doctor/runtime/runtimes.h"
#include "ledger/model.h"

static bool present(const struct model *model)
{
    return model->code_count > 0;
}

const struct runtime runtime_python = {
    .name = "python",
    .managed = true,
    .doubts_late_search = true,
    .sizes_alike = true,
    .loads_first = true,
    .lag_remedy = REMEDY_collect,
    .present = present,
    .collected = collected_requested,
    .end_fall = runtime_no_fall,
    .take_out_garbage = runtime_no_garbage,
    .unproven = runtime_unproven,
    .waits = runtime_never,
    .stayed = runtime_always_stayed,
    .bookkeeping = runtime_never,
    .pages = runtime_never,
    .own = runtime_not_own,
    .heap_full = runtime_not_full,
    .add_notes = runtime_no_notes,
};
