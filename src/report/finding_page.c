/* finding_page.c - see finding_page.h. */
#include "report/finding_page.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/say/words.h"

#define SPAN_NARROW 1.1 /* if the later time is at most this multiple of the earlier, one is shown */

enum tone page_kind_tone(enum kind kind)
{
    if (kind_status(kind) == 1)
        return TONE_BAD;
    return kind == KIND_undecided ? TONE_UNSURE : TONE_GOOD;
}

const char *page_kind_says(enum kind kind)
{
    static const char *const says[] = {
#define KIND(severity, name, spelling, status, says) [severity] = says,
#include "doctor/facts/kinds.def"
#undef KIND
    };

    return says[kind];
}

const char *page_tick(const struct process_report *report)
{
    return clock_tick_name(report->clock);
}

const char *page_rate_unit(const struct process_report *report)
{
    return clock_rate_name(report->clock);
}

#define LINES_SHOWN 4    /* of a finding; the others are counted */
#define SHARE_SHOWN 0.01 /* of the rate; smaller lines are counted, too */

/* "train.py:14": the folder is in the lines above. */
static void line_name(const struct place *place, char *text, size_t size)
{
    const char *slash = place->file ? strrchr(place->file, '/') : NULL;

    if (place->file)
        (void)snprintf(text, size, "%s:%u", slash ? slash + 1 : place->file, place->line);
    else
        page_name(place->function ? place->function : "?", text, size, PAGE_NAME_WIDTH / 2);
}

bool page_made_text(const struct finding *finding, char *text, size_t size)
{
    char name[PAGE_TEXT];
    double sum = 0;
    size_t used = 0, shown = 0;

    text[0] = 0;
    for (size_t i = 0; i < finding->made_count; i++)
        sum += finding->made_at[i].rate;
    for (size_t i = 0; i < finding->made_count && i < LINES_SHOWN && used < size; i++) {
        const struct made_line *line = &finding->made_at[i];

        if (sum <= 0 || line->rate < SHARE_SHOWN * sum)
            break;
        line_name(line->places, name, sizeof(name));
        used += (size_t)snprintf(text + used, size - used, "%s%s (%.0f%%)", i > 0 ? ", " : "", name,
                                 100 * line->rate / sum);
        shown++;
    }
    if (finding->made_count > shown && used < size)
        (void)snprintf(text + used, size - used, ", %zu more", finding->made_count - shown);
    return shown > 1;
}

void page_holder(struct page *page, const struct finding *finding)
{
    if (finding->unsearched)
        page_print(page, "Held by", "%s%snot searched (%s)", finding->held_by ? finding->held_by : "",
                   finding->held_by ? "; " : "", finding->unsearched);
    else if (finding->held_by)
        page_line(page, "Held by", finding->held_by);
}

#define NATIVE_SHOWN 12 /* frames */

static void native_frame(const struct native_place *place, char *text, size_t size)
{
    char name[PAGE_TEXT];

    page_name(place->function ? place->function : "?", name, sizeof(name), PAGE_NAME_WIDTH);
    if (place->file && place->line > 0)
        (void)snprintf(text, size, "%s (%s, %s:%u)", name, place->module,
                       text_base_name(place->file), place->line);
    else if (place->function && place->beyond == 0)
        (void)snprintf(text, size, "%s (%s)", name, place->module);
    else if (place->function)
        (void)snprintf(text, size, "%s+0x%llx, near %s", place->module,
                       (unsigned long long)place->offset, name);
    else
        (void)snprintf(text, size, "%s+0x%llx", place->module ? place->module : "code made at run time",
                       (unsigned long long)place->offset);
}

void page_native(struct page *page, const struct finding *finding)
{
    char text[3 * PAGE_TEXT];
    size_t shown = 0;

    if (!finding->made_in)
        return;
    page_line(page, "In", finding->made_in);
    for (size_t i = 0; i < finding->native_count && shown < NATIVE_SHOWN; i++) {
        if (finding->native[i].serves)
            continue;
        native_frame(&finding->native[i], text, sizeof(text));
        page_line(page, "", text);
        shown++;
    }
}

/* " on device 0, and 1.2 KB of the host's memory"; "" for memory of the host. */
static void put_device(const struct finding *finding, char *text, size_t size)
{
    char host[TEXT_SIZE_MAX];

    text[0] = 0;
    if (finding->memory == MEMORY_HOST)
        return;
    (void)snprintf(text, size, " on device %u", finding->device);
    if (finding->host_rate.estimate >= 1)
        (void)snprintf(text, size, " on device %u, with %s on the host", finding->device,
                       text_size(host, (uint64_t)finding->host_rate.estimate));
}

void page_growth_text(const struct process_report *report, const struct finding *finding, char *text,
                      size_t size)
{
    char rate[TEXT_SIZE_MAX], low[TEXT_SIZE_MAX], high[TEXT_SIZE_MAX], live[TEXT_SIZE_MAX];
    char since[TEXT_SIZE_MAX], blocks[TEXT_SIZE_MAX], held[PAGE_TEXT] = "", device[PAGE_TEXT];

    if (finding->live_blocks > 0 && finding->memory == MEMORY_DEVICE) /* the line has the device, too */
        (void)snprintf(held, sizeof(held), "; %s alive", text_size(live, finding->live_bytes));
    else if (finding->live_blocks > 0)
        (void)snprintf(held, sizeof(held), "; %s in about %s blocks alive",
                       text_size(live, finding->live_bytes),
                       text_count(blocks, finding->live_blocks));
    put_device(finding, device, sizeof(device));
    (void)snprintf(text, size, "%s per %s (%s to %s)%s since %s %s%s",
                   text_size_signed(rate, finding->rate.estimate), page_rate_unit(report),
                   text_size_signed(low, finding->rate.low), text_size_signed(high, finding->rate.high),
                   device, page_tick(report), text_count(since, finding->since), held);
}

bool page_has_rate(const struct finding *finding)
{
    return finding->rate.estimate >= 1 && !(finding->kind == KIND_undecided && finding->rate.low <= 0);
}

void page_growth(struct page *page, const struct process_report *report,
                 const struct finding *finding)
{
    char text[PAGE_TEXT];

    if (finding->kind == KIND_undecided && !page_has_rate(finding))
        return;
    page_growth_text(report, finding, text, sizeof(text));
    page_line(page, "Growth", text);
}

static double middle(double low, double high)
{
    return isfinite(high) ? sqrt(low * high) : low;
}

/* "9 h to 10 h", or "about 1.8 h" if the two hardly differ. */
static void put_span(const struct forecast *forecast, char *text, size_t size)
{
    const double low = forecast->seconds_low, high = forecast->seconds_high;
    char soon[TEXT_SIZE_MAX], late[TEXT_SIZE_MAX];

    if (!isfinite(high))
        (void)snprintf(text, size, "%s or more", page_seconds(soon, low));
    else if (high < SPAN_NARROW * low)
        (void)snprintf(text, size, "about %s", page_seconds(soon, middle(low, high)));
    else
        (void)snprintf(text, size, "%s to %s", page_seconds(soon, low), page_seconds(late, high));
}

/* "1.2 million", "48,000": two digits, because the estimate is not more precise. */
static const char *round_count(char out[TEXT_SIZE_MAX], double count)
{
    const double digits = count >= 10 ? pow(10, floor(log10(count)) - 1) : 1;

    if (count >= 1e15)
        (void)snprintf(out, TEXT_SIZE_MAX, "countless");
    else if (count >= 1e9)
        (void)snprintf(out, TEXT_SIZE_MAX, "%.*f billion", count < 9.95e9, count / 1e9);
    else if (count >= 1e6)
        (void)snprintf(out, TEXT_SIZE_MAX, "%.*f million", count < 9.95e6, count / 1e6);
    else
        (void)text_count(out, (uint64_t)(round(count / digits) * digits));
    return out;
}

bool page_forecast_text(const struct process_report *report, char *text, size_t size)
{
    const struct forecast *forecast = &report->forecast;
    char room[TEXT_SIZE_MAX], count[TEXT_SIZE_MAX];
    char span[3 * TEXT_SIZE_MAX], ticks[PAGE_TEXT] = "";

    if (!forecast->known)
        return false;
    put_span(forecast, span, sizeof(span));
    if (report->clock != CLOCK_time) /* a user cannot count slices */
        (void)snprintf(ticks, sizeof(ticks), " (%s %s)",
                       round_count(count, middle(forecast->steps_low, forecast->steps_high)),
                       clock_ticks_name(report->clock, 2));
    (void)snprintf(text, size, "Out of memory in %s%s; %s: %s left.", span, ticks,
                   forecast->limit ? forecast->limit : "memory limit", text_size(room, forecast->headroom));
    return true;
}

void page_forecast(struct page *page, const struct process_report *report)
{
    char text[PAGE_TEXT];

    if (page_forecast_text(report, text, sizeof(text)))
        page_line(page, "Forecast", text);
}

void page_remedy(struct page *page, const struct remedy *remedy)
{
    const char *label = "Fix";
    struct text text = {0};

    words_fix(&text, remedy);
    if (text.length > 0) {
        page_line(page, label, text_string(&text));
        label = "";
    }
    text_free(&text);
    if (remedy->code) {
        page_code_whole(page, label, remedy->code);
        label = "";
    }
    if (remedy->setting)
        page_code_whole(page, label, remedy->setting);
}
