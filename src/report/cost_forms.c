/* cost_forms.c - see cost_forms.h. */
#include "report/cost_forms.h"

#include "doctor/run/costs.h"

/* ---- text ---- */

/* The processor time of a kind, in the program and in copies of it. */
static double worked(const struct cost_line *line)
{
    return line->program_seconds + line->copy_seconds;
}

/* The kinds that cost something or were done, the most expensive first. */
static size_t order(const struct cost_summary *cost, enum cost_kind out[COST_KINDS])
{
    size_t used = 0;

    for (unsigned kind = 0; kind < COST_KINDS; kind++) {
        const struct cost_line *line = &cost->kinds[kind];
        size_t at = used;

        if (kind == COST_last_round || (line->count == 0 && worked(line) == 0))
            continue;
        for (; at > 0 && worked(&cost->kinds[out[at - 1]]) < worked(line); at--)
            out[at] = out[at - 1];
        out[at] = (enum cost_kind)kind;
        used++;
    }
    return used;
}

static const char *small_seconds(char out[TEXT_SIZE_MAX], double seconds)
{
    if (seconds > 0 && seconds < 0.0005)
        (void)snprintf(out, TEXT_SIZE_MAX, "under 1 ms");
    else if (seconds >= 0.0995 && seconds < 0.9995)
        (void)snprintf(out, TEXT_SIZE_MAX, "%.2f s", seconds);
    else
        (void)page_seconds(out, seconds);
    return out;
}

/* "2 searches for holders 0.12 s (0.11 s in a copy)" */
static size_t put_kind(char *text, size_t size, const struct cost_line *line, enum cost_kind kind)
{
    char count[TEXT_SIZE_MAX], time[TEXT_SIZE_MAX], copy[TEXT_SIZE_MAX];
    const bool counted = line->count > 0 && kind != COST_watch;
    int length;

    length = snprintf(text, size, "%s%s%s %s%s%s%s", counted ? text_count(count, line->count) : "",
                      counted ? " " : "", cost_words(kind, line->count), small_seconds(time, worked(line)),
                      line->copy_seconds > 0 ? " (" : "",
                      line->copy_seconds > 0 ? small_seconds(copy, line->copy_seconds) : "",
                      line->copy_seconds > 0 ? " in copies)" : "");
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

static void put_kinds(char *text, size_t size, const struct cost_summary *cost)
{
    enum cost_kind kinds[COST_KINDS];
    const size_t count = order(cost, kinds);
    size_t used = 0;

    text[0] = 0;
    for (size_t i = 0; i < count && used + 2 < size; i++) {
        used += (size_t)snprintf(text + used, size - used, i == 0 ? ": " : ", ");
        used += put_kind(text + used, size - used, &cost->kinds[kinds[i]], kinds[i]);
    }
}

static void put_pauses(struct page *page, const struct cost_summary *cost)
{
    char longest[TEXT_SIZE_MAX], all[TEXT_SIZE_MAX], wait[TEXT_SIZE_MAX];
    const bool paused = cost->pause_seconds > 0, waited = cost->wait_seconds > 0;

    if (paused || waited)
        page_print(page, "", "%s%s%s%s%s%s%s", paused ? "longest pause " : "",
                   paused ? small_seconds(longest, cost->longest_seconds) : "",
                   paused ? ", together " : "", paused ? small_seconds(all, cost->pause_seconds) : "",
                   paused && waited ? "; " : "", waited ? "waited for tare before the end: " : "",
                   waited ? small_seconds(wait, cost->wait_seconds) : "");
}

void page_cost(struct page *page, const struct diagnosis *d)
{
    const struct cost_summary *cost = d->cost;
    char text[PAGE_TEXT], spent[TEXT_SIZE_MAX], all[TEXT_SIZE_MAX], looks[TEXT_SIZE_MAX];
    const struct effort *effort = &d->effort;

    if (cost) {
        put_kinds(text, sizeof(text), cost);
        page_print(page, "Cost", "measuring took %s%s%s%s%s",
                   small_seconds(spent, cost->program_seconds + cost->copy_seconds),
                   effort->program_seconds > 0 ? " of " : "",
                   effort->program_seconds > 0 ? small_seconds(all, effort->program_seconds) : "",
                   " of processor time", text);
        put_pauses(page, cost);
    }
    if (effort->tare_seconds > 0)
        page_print(page, cost ? "" : "Cost", "tare run itself %s, %s of it for %s looks at ledgers",
                   small_seconds(spent, effort->tare_seconds), small_seconds(all, effort->look_seconds),
                   text_count(looks, effort->looks));
}

/* ---- JSON ---- */

static void put_cost_sums(struct json *json, const struct cost_summary *cost)
{
    json_number(json, "program_seconds", cost->program_seconds);
    json_number(json, "copy_seconds", cost->copy_seconds);
    json_number(json, "pause_seconds", cost->pause_seconds);
    json_number(json, "longest_pause_seconds", cost->longest_seconds);
    json_number(json, "wait_seconds", cost->wait_seconds);
    json_count(json, "bytes", cost->bytes);
    json_list(json, "kinds");
    for (unsigned kind = 0; kind < COST_KINDS; kind++) {
        const struct cost_line *line = &cost->kinds[kind];

        if (line->count == 0 && line->refused == 0 && line->program_seconds == 0)
            continue;
        json_object(json, NULL);
        json_text(json, "kind", cost_name((enum cost_kind)kind));
        json_text(json, "what", cost_words((enum cost_kind)kind, line->count));
        json_count(json, "count", line->count);
        json_count(json, "refused", line->refused);
        json_number(json, "program_seconds", line->program_seconds);
        json_number(json, "copy_seconds", line->copy_seconds);
        json_number(json, "pause_seconds", line->pause_seconds);
        json_number(json, "longest_pause_seconds", line->longest_seconds);
        json_count(json, "bytes", line->bytes);
        json_end(json, '}');
    }
    json_end(json, ']');
}

void cost_json(struct json *json, const struct cost_summary *cost)
{
    if (!cost) {
        json_null(json, "cost");
        return;
    }
    json_object(json, "cost");
    put_cost_sums(json, cost);
    json_end(json, '}');
}

static void put_seconds(struct json *json, const char *name, double seconds)
{
    if (seconds > 0)
        json_number(json, name, seconds);
    else
        json_null(json, name);
}

void cost_json_run(struct json *json, const struct diagnosis *d)
{
    const struct effort *effort = &d->effort;

    if (!d->cost && effort->tare_seconds == 0) {
        json_null(json, "cost");
        return;
    }
    json_object(json, "cost");
    put_seconds(json, "run_seconds", effort->program_seconds);
    put_seconds(json, "tare_seconds", effort->tare_seconds);
    put_seconds(json, "look_seconds", effort->look_seconds);
    json_count(json, "looks", effort->looks);
    if (d->cost)
        put_cost_sums(json, d->cost);
    json_end(json, '}');
}
