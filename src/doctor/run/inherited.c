/* inherited.c - see inherited.h.
 *
 * After a fork all pages are shared; a page becomes the child's own when either side writes to it.
 * Reference counts do that to every object a worker only reads. Its private memory then rises, by at
 * most what it inherited, while it allocates nothing.
 */
#include "doctor/run/inherited.h"

#include "base/arena.h"
#include "base/text.h"

#define WORTH_SAYING (16ull << 20) /* bytes, and twice what the process has made itself */

static uint64_t above(uint64_t value, uint64_t base)
{
    return value > base ? value - base : 0;
}

const char *inherited_note(const struct process_report *report, const struct model *model,
                           const struct account_record *account, struct arena *arena)
{
    const uint64_t inherited = model->head.inherited ? model->head.forked_bytes : 0;
    const uint64_t made = above(report->live_bytes, inherited) + report->mapped_bytes;
    const uint64_t copied = account ? above(account->private_dirty, made) : 0;
    char copied_text[TEXT_SIZE_MAX], made_text[TEXT_SIZE_MAX], inherited_text[TEXT_SIZE_MAX];

    if (inherited == 0 || copied < WORTH_SAYING || copied < 2 * made)
        return NULL;
    return arena_print(arena,
                       "%s of its private memory are copies of pages that it shared with its parent "
                       "(copy-on-write: one of the two wrote to them). It inherited %s and allocated %s "
                       "itself. This is not a leak: it ends when all pages are copied.",
                       text_size(copied_text, copied),
                       text_size(inherited_text, inherited),
                       text_size(made_text, made));
}
