/* words.c - see words.h. */
#include "doctor/say/words.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"

const char *words_place(struct arena *arena, const struct place *place)
{
    const char *function = place->function ? place->function : "?";

    if (place->file && place->line > 0)
        return arena_print(arena, "%s:%u in %s", place->file, place->line, function);
    if (place->file)
        return arena_print(arena, "%s in %s", place->file, function);
    if (place->module && !strstr(function, place->module))
        return arena_print(arena, "%s (%s)", function, place->module);
    return function;
}

const struct place *words_where(const struct finding *finding)
{
    if (finding->stored_at && finding->stored_at->file)
        return finding->stored_at;
    return finding->allocated_count > 0 ? finding->allocated_at : finding->stored_at;
}

const char *words_rate(struct arena *arena, const struct interval *rate, const char *unit)
{
    char estimate[TEXT_SIZE_MAX], low[TEXT_SIZE_MAX], high[TEXT_SIZE_MAX];

    return arena_print(arena, "%s per %s (%s to %s)", text_size_signed(estimate, rate->estimate),
                       unit, text_size_signed(low, rate->low), text_size_signed(high, rate->high));
}

void words_fix(struct text *out, const struct remedy *remedy)
{
    static const char *const ways[] = {"", "In place of", "After", "Before"};
    const struct fix_span *span = &remedy->span;

    text_put(out, remedy->text);
    if (span->where == FIX_NOWHERE || !remedy->file)
        return;
    text_print(out, "%s%s %s:%u", remedy->text ? " " : "", ways[span->where],
               text_base_name(remedy->file), span->where == FIX_AFTER ? span->last : span->first);
    if (span->where == FIX_REPLACE && span->last > span->first)
        text_print(out, "-%u", span->last);
    text_put(out, ":");
}
