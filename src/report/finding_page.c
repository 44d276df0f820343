/* finding_page.c - see finding_page.h. */
#include "report/finding_page.h"

#include <inttypes.h>

#include "base/text.h"
#include "doctor/clock.h"

enum tone page_kind_tone(enum kind kind)
{
    if (kind_status(kind) == 1)
        return TONE_BAD;
    return kind == KIND_undecided ? TONE_UNSURE : TONE_GOOD;
}

/* What a tick of the chosen clock is called, and what rates are told by. */
const char *page_tick(const struct process_report *report)
{
    return clock_tick_name(report->clock);
}

const char *page_rate_unit(const struct process_report *report)
{
    return clock_rate_name(report->clock);
}

void page_holder(struct page *page, const struct finding *finding)
{
    if (finding->held_by)
        page_line(page, "Held by", finding->held_by);
    else if (finding->unsearched)
        page_print(page, "Held by", "not searched (%s)", finding->unsearched);
}

void page_growth(struct page *page, const struct process_report *report,
                 const struct finding *finding)
{
    char rate[TEXT_SIZE_MAX], low[TEXT_SIZE_MAX], high[TEXT_SIZE_MAX], live[TEXT_SIZE_MAX];
    char blocks[TEXT_SIZE_MAX], held[PAGE_TEXT] = "";

    if (finding->live_blocks > 0)
        (void)snprintf(held, sizeof(held), "; %s in about %s blocks alive",
                       text_size(live, finding->live_bytes),
                       text_count(blocks, finding->live_blocks));
    page_print(page, "Growth", "%s per %s (%s to %s) since %s %" PRIu64 "%s",
               text_size_signed(rate, finding->rate.estimate), page_rate_unit(report),
               text_size_signed(low, finding->rate.low), text_size_signed(high, finding->rate.high),
               page_tick(report), finding->since, held);
}

void page_forecast(struct page *page, const struct process_report *report)
{
    const struct forecast *forecast = &report->forecast;
    char limit[TEXT_SIZE_MAX], room[TEXT_SIZE_MAX], soon[TEXT_SIZE_MAX], late[TEXT_SIZE_MAX];
    char few[TEXT_SIZE_MAX], many[TEXT_SIZE_MAX], ticks[PAGE_TEXT] = "";

    if (!forecast->known)
        return;
    if (!clock_is_time(report->clock)) /* slices are nothing that a user could count */
        (void)snprintf(ticks, sizeof(ticks), "%s to %s %s, ", text_count(few, (uint64_t)forecast->steps_low),
                       text_count(many, (uint64_t)forecast->steps_high), clock_ticks_name(report->clock, 2));
    page_print(page, "Forecast", "%s (%s, %s left) is reached in %s%s to %s",
               forecast->limit ? forecast->limit : "the limit", text_size(limit, forecast->limit_bytes),
               text_size(room, forecast->headroom), ticks, page_seconds(soon, forecast->seconds_low),
               page_seconds(late, forecast->seconds_high));
}

void page_remedy(struct page *page, const struct remedy *remedy)
{
    const char *label = "Fix";

    if (remedy->text) {
        page_line(page, label, remedy->text);
        label = "";
    }
    if (remedy->code) {
        page_code(page, label, remedy->code);
        label = "";
    }
    if (remedy->setting)
        page_code(page, label, remedy->setting);
}
