/* board_draw.c - the board as a frame. */
#include <stdio.h>
#include <string.h>

#include "doctor/measure/clock.h"
#include "live/board.h"
#include "live/curve.h"
#include "report/finding_page.h"

#define SECOND       1000000000ull
#define CURVE_ROWS   3
#define CURVES_FROM  18 /* a terminal with so many rows has curves */
#define SIDE_BY_SIDE 64 /* a terminal with so many columns has two curves */
#define WIDE         76 /* with so many columns, sites have all numbers */

const char *board_elapsed(char out[TEXT_SIZE_MAX], uint64_t from, uint64_t to)
{
    const uint64_t seconds = to > from ? (to - from) / SECOND : 0;

    if (seconds < 3600)
        (void)snprintf(out, TEXT_SIZE_MAX, "%u:%02u", (unsigned)(seconds / 60),
                       (unsigned)(seconds % 60));
    else
        (void)snprintf(out, TEXT_SIZE_MAX, "%u:%02u:%02u", (unsigned)(seconds / 3600),
                       (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
    return out;
}

/* ---- the status ---- */

static const char *state_name(const struct board *board)
{
    return board->reading.ended       ? "ended"
           : board->reading.unwatched ? "tare run is gone"
                                      : "running";
}

static void draw_title(const struct board *board, struct frame *frame)
{
    const struct digest *digest = board->digest;
    const bool over = board->reading.ended || board->reading.unwatched;
    const uint64_t end = over ? digest->head.end : board->reading.now;
    char elapsed[TEXT_SIZE_MAX], tail[96];
    const char *program = digest_text(digest, digest->head.program);
    size_t room, fits;

    (void)snprintf(tail, sizeof(tail), "  %s  %s", state_name(board),
                   board_elapsed(elapsed, digest->head.started, end));
    room = frame->columns > strlen(tail) + 13 ? frame->columns - strlen(tail) - 12 : 1;
    fits = frame_fit(program, room);
    frame_print(frame, 0, TONE_BOLD, "tare live: %.*s%s%s", (int)fits, program,
                program[fits] ? "…" : "", tail);
}

/* The ticks of the process that speaks for the run, with the name of its clock. */
static void put_clock(char *text, size_t size, const struct board *board)
{
    const struct digest_process *main = digest_main(board->digest);
    const enum clock_id clock = digest_clock(main);
    const uint64_t ticks = board->reading.ticks ? board->reading.ticks : main ? main->ticks : 0;
    char count[TEXT_SIZE_MAX];

    text[0] = 0;
    if (clock != CLOCK_NONE)
        (void)snprintf(text, size, "%s %s by %s  ", clock_tick_name(clock), text_count(count, ticks),
                       clock_name_shown(clock));
}

/* "3.9 GB on devices  "; "" where no device is used. */
static const char *put_devices(char *text, size_t size, const struct board *board)
{
    const struct digest *digest = board->digest;
    uint64_t bytes = board->reading.device;
    char shown[TEXT_SIZE_MAX];

    for (size_t i = 0; board->reading.device == 0 && i < digest->head.process_count; i++)
        bytes += digest->processes[i].device;
    text[0] = 0;
    if (bytes > 0)
        (void)snprintf(text, size, "%s on devices  ", text_size(shown, bytes));
    return text;
}

static void draw_numbers(const struct board *board, struct frame *frame)
{
    const struct digest_process *main = digest_main(board->digest);
    const uint64_t resident = board->reading.resident ? board->reading.resident
                              : main                  ? main->resident
                                                      : 0;
    const uint64_t live = board->reading.live ? board->reading.live : main ? main->live : 0;
    const uint64_t processes = board->reading.running && !board->reading.ended
                                   ? board->reading.running
                                   : board->digest->head.process_count;
    char clock[96], devices[64], a[TEXT_SIZE_MAX], b[TEXT_SIZE_MAX];

    put_clock(clock, sizeof(clock), board);
    if (put_devices(devices, sizeof(devices), board)[0] && frame->columns < SIDE_BY_SIDE) {
        frame_print(frame, 1, TONE_PLAIN, "%s resident  %s", text_size(a, resident), devices);
        return;
    }
    frame_print(frame, 1, TONE_PLAIN, "%s%s resident  %s live  %s%u process%s", clock,
                text_size(a, resident), text_size(b, live), devices, (unsigned)processes,
                processes == 1 ? "" : "es");
}

static unsigned draw_status(const struct board *board, struct frame *frame)
{
    const enum kind verdict = (enum kind)board->digest->head.verdict;
    const enum tone tone = page_kind_tone(verdict);

    draw_title(board, frame);
    draw_numbers(board, frame);
    frame_print(frame, 2, tone, "%s%s: %s", kind_name(verdict),
                board->reading.ended ? "" : " so far",
                digest_text(board->digest, board->digest->head.answer));
    return 3;
}

/* ---- curves ---- */

static size_t gather(const struct board *board, struct digest_point *points)
{
    const struct digest *digest = board->digest;
    size_t count = (size_t)digest->head.point_count;

    memcpy(points, digest->points, count * sizeof(*points));
    memcpy(points + count, board->recent, board->recent_count * sizeof(*points));
    return count + board->recent_count;
}

/* Row 0 is the title; the others are the curve's. */
static void put_curve(char *text, size_t size, const char *name, const struct curve *curve,
                      unsigned row)
{
    char most[TEXT_SIZE_MAX];

    if (row == 0)
        (void)snprintf(text, size, "%s, at most %s", name, text_size(most, curve->most));
    else
        (void)snprintf(text, size, "%s", curve->lines[row - 1]);
}

static void pad(char *text, size_t size, size_t columns)
{
    const size_t used = frame_width(text), length = strlen(text);

    if (used < columns && length + columns - used < size)
        (void)snprintf(text + length, size - length, "%*s", (int)(columns - used), "");
}

static unsigned draw_curves(const struct board *board, struct frame *frame, unsigned row)
{
    static struct digest_point points[DIGEST_POINTS + BOARD_RECENT];
    static struct curve resident, live;
    const bool both = frame->columns >= SIDE_BY_SIDE;
    const unsigned columns = both ? frame->columns / 2 - 1 : frame->columns;
    size_t count;

    if (frame->rows < CURVES_FROM)
        return row;
    count = gather(board, points);
    curve_sample(&resident, points, count, CURVE_RESIDENT, columns, CURVE_ROWS);
    curve_sample(&live, points, count, CURVE_LIVE, columns, CURVE_ROWS);
    curve_draw(&resident, frame->ascii);
    curve_draw(&live, frame->ascii);
    for (unsigned i = 0; i <= CURVE_ROWS; i++) {
        char left[CURVE_BYTES + 64], right[CURVE_BYTES + 64] = "";

        put_curve(left, sizeof(left), "resident", &resident, i);
        if (both) {
            pad(left, sizeof(left), columns);
            put_curve(right, sizeof(right), "live", &live, i);
        }
        frame_print(frame, row + i, i == 0 ? TONE_FAINT : TONE_PLAIN, "%s%s%s", left,
                    both ? "  " : "", right);
    }
    return row + CURVE_ROWS + 1;
}

/* ---- the list ---- */

static size_t part_items(const struct board *board, enum board_part part)
{
    size_t count = 0;

    for (size_t i = 0; i < board->entry_count; i++)
        count += board->entries[i].part == part && !board->entries[i].heading;
    return count;
}

static void put_heading(const struct board *board, const struct frame *frame, enum board_part part,
                        char *text, size_t size)
{
    const uint64_t age =
        board->reading.now > board->judged ? (board->reading.now - board->judged) / SECOND : 0;
    const size_t items = part_items(board, part);
    const bool wide = frame->columns >= WIDE;
    const char *unit = clock_rate_name(digest_clock(digest_main(board->digest)));
    char when[48] = "", per[24];

    (void)snprintf(per, sizeof(per), strlen(unit) > 6 ? "/%s" : "per %s", unit); /* of ten columns */
    if (!board->reading.ended && age >= 2)
        (void)snprintf(when, sizeof(when), ", judged %u s ago", (unsigned)age);
    if (part == PART_SUSPECTS)
        (void)snprintf(text, size, "Suspects: %zu%s%s", items,
                       board->filter[0] ? " shown" : "", when);
    else if (part == PART_PROCESSES)
        (void)snprintf(text, size, "Processes: %zu", items);
    else if (wide)
        (void)snprintf(text, size, "%9s %9s %10s %9s  Sites: %zu, by %s", "live", "grown", per,
                       "allocated", items, board_sort_name(board->sort));
    else
        (void)snprintf(text, size, "%9s %10s  Sites: %zu, by %s", "live", per, items,
                       board_sort_name(board->sort));
}

/* A place that is too long loses the beginning of its path, because the file and the line are at the end. */
static const char *short_place(const char *place, size_t columns, char *text, size_t size)
{
    const char *rest = place;

    while (frame_width(rest) + (rest == place ? 0 : 2) > columns) {
        const char *slash = strchr(rest + (*rest == '/'), '/');
        const char *blank = strchr(rest, ' ');

        if (!slash || (blank && blank < slash))
            break;
        rest = slash + 1;
    }
    if (rest == place)
        return place;
    (void)snprintf(text, size, "…/%s", rest);
    return text;
}

/* Adds a place to the row. */
static void add_place(char *text, size_t size, const char *place, const struct frame *frame)
{
    const size_t used = strlen(text), columns = frame_width(text);
    char shorter[FRAME_BYTES];

    (void)snprintf(text + used, size - used, "%s",
                   short_place(place, frame->columns > columns ? frame->columns - columns : 1,
                               shorter, sizeof(shorter)));
}

static void put_suspect(const struct board *board, const struct frame *frame,
                        const struct digest_finding *finding, char *text, size_t size)
{
    const struct digest *digest = board->digest;
    const char *where = digest_text(digest, finding->where);
    char rate[TEXT_SIZE_MAX], owner[32] = "";

    if (digest->head.process_count > 1)
        (void)snprintf(owner, sizeof(owner), " in %u", finding->pid);
    (void)snprintf(text, size, "  %s%s%s  %s/%s  ", kind_name((enum kind)finding->kind),
                   finding->note ? " (small)" : "", owner, text_size_signed(rate, finding->rate),
                   digest_text(digest, finding->unit));
    add_place(text, size, where[0] ? where : digest_text(digest, finding->summary), frame);
}

static void put_site(const struct board *board, const struct frame *frame,
                     const struct digest_site *site, char *text, size_t size)
{
    const struct digest *digest = board->digest;
    char live[TEXT_SIZE_MAX], grown[TEXT_SIZE_MAX], growth[TEXT_SIZE_MAX], all[TEXT_SIZE_MAX];
    char owner[64] = "", device[32] = "";

    if (site->device > 0)
        (void)snprintf(device, sizeof(device), "device %u ", site->device - 1);
    if (digest->head.process_count > 1)
        (void)snprintf(owner, sizeof(owner), "%u %s", site->pid, device);
    else
        (void)snprintf(owner, sizeof(owner), "%s", device);
    (void)text_size(live, site->live);
    (void)text_size_signed(growth, site->growth);
    if (frame->columns >= WIDE)
        (void)snprintf(text, size, "%9s %9s %10s %9s  %s%s", live, text_size(grown, site->grown),
                       growth, text_size(all, site->allocated), owner, site->map ? "mapped " : "");
    else
        (void)snprintf(text, size, "%9s %10s  %s", live, growth, owner);
    add_place(text, size, digest_text(digest, site->where), frame);
}

static void put_process(const struct board *board, const struct digest_process *process, char *text,
                        size_t size)
{
    const unsigned depth = process->depth < 8 ? process->depth : 8;
    char live[TEXT_SIZE_MAX], resident[TEXT_SIZE_MAX], bytes[TEXT_SIZE_MAX], device[48] = "";

    if (process->device > 0)
        (void)snprintf(device, sizeof(device), ", %s on devices", text_size(bytes, process->device));
    (void)snprintf(text, size, "  %*s%u %s: %s; %s live, %s resident%s; %s", (int)depth * 2, "",
                   process->pid, digest_text(board->digest, process->name),
                   kind_name((enum kind)process->verdict), text_size(live, process->live),
                   text_size(resident, process->resident), device,
                   digest_text(board->digest, process->ended));
}

static void draw_entry(const struct board *board, struct frame *frame, unsigned row, size_t at)
{
    const struct board_entry *entry = &board->entries[at];
    const struct digest *digest = board->digest;
    enum tone tone = TONE_PLAIN;
    char text[FRAME_BYTES];

    if (entry->heading) {
        put_heading(board, frame, entry->part, text, sizeof(text));
        tone = TONE_BOLD;
    } else if (entry->part == PART_SUSPECTS) {
        put_suspect(board, frame, &digest->findings[entry->index], text, sizeof(text));
        tone = page_kind_tone((enum kind)digest->findings[entry->index].kind);
    } else if (entry->part == PART_SITES) {
        put_site(board, frame, &digest->sites[entry->index], text, sizeof(text));
    } else {
        put_process(board, &digest->processes[entry->index], text, sizeof(text));
    }
    frame_put(frame, row, tone, text);
    if (row < frame->rows)
        frame->lines[row].marked = at == board->selected && !entry->heading;
}

/* The selected line is always visible, and so is the heading above the first item. */
static void scroll(struct board *board, unsigned rows)
{
    if (rows == 0)
        return;
    if (board->selected < board->top)
        board->top = board->selected;
    if (board->selected >= board->top + rows)
        board->top = board->selected - rows + 1;
    if (board->top + rows > board->entry_count)
        board->top = board->entry_count > rows ? board->entry_count - rows : 0;
    if (board->top > 0 && board->top == board->selected && rows > 1 &&
        board->entries[board->top - 1].heading)
        board->top--;
}

static void draw_list(struct board *board, struct frame *frame, unsigned row)
{
    const unsigned end = frame->rows - 1;

    board->list_rows = end > row ? end - row : 0;
    scroll(board, board->list_rows);
    for (size_t i = board->top; i < board->entry_count && row < end; i++)
        draw_entry(board, frame, row++, i);
}

/* ---- the last line ---- */

static void draw_footer(const struct board *board, struct frame *frame)
{
    const unsigned row = frame->rows - 1;
    char filter[96] = "";

    if (board->typing) {
        frame_print(frame, row, TONE_BOLD, "filter: %s_", board->filter);
        return;
    }
    if (board->message[0] && board->reading.now < board->message_end) {
        frame_put(frame, row, TONE_BOLD, board->message);
        return;
    }
    if (board->filter[0])
        (void)snprintf(filter, sizeof(filter), "filter: %s  ", board->filter);
    frame_print(frame, row, TONE_FAINT,
                frame->columns >= WIDE
                    ? "%sq quit  s sort  / filter  Enter open  c collect  Tab next  h help"
                    : "%sq quit s sort / filter h help",
                filter);
}

/* ---- a page ---- */

/* Draws the rows of the folded page from page_top on. Returns how many rows the page has. */
static size_t fold_page(const struct board *board, struct frame *frame, unsigned first,
                        unsigned last)
{
    const char *at = board->page;
    size_t rows = 0;
    bool continued = false;

    while (*at) {
        const size_t indent = continued && frame->columns > 2 * PAGE_LABEL ? PAGE_LABEL : 0;
        size_t skip;
        const size_t length = frame_fold(at, frame->columns - indent, &skip);

        if (rows >= board->page_top && first + rows - board->page_top < last)
            frame_print(frame, (unsigned)(first + rows - board->page_top), TONE_PLAIN, "%*s%.*s",
                        (int)indent, "", (int)length, at);
        rows++;
        at += length + skip;
        continued = *at != '\n';
        at += *at == '\n';
    }
    return rows;
}

static void draw_page(struct board *board, struct frame *frame)
{
    const unsigned last = frame->rows - 1;
    size_t rows, most;

    board->list_rows = last - 1;
    rows = fold_page(board, frame, last, last); /* draws nothing */
    most = rows > board->list_rows ? rows - board->list_rows : 0;
    board->page_top = board->page_top < most ? board->page_top : most;
    frame_print(frame, 0, TONE_BOLD, "tare live: %s", board->page_title);
    (void)fold_page(board, frame, 1, last);
    frame_print(frame, last, TONE_FAINT, "Esc back  q quit%s",
                rows > board->list_rows ? "  up, down, PgUp, PgDn: scroll" : "");
}

void board_draw(struct board *board, struct frame *frame)
{
    unsigned row;

    if (frame->rows < FRAME_ROWS_MIN || frame->columns < FRAME_COLUMNS_MIN) {
        frame_print(frame, 0, TONE_BOLD, "needs %dx%d, has %ux%u", FRAME_COLUMNS_MIN,
                    FRAME_ROWS_MIN, frame->columns, frame->rows);
    } else if (board->page) {
        draw_page(board, frame);
    } else if (!board->digest) {
        frame_put(frame, 0, TONE_BOLD, "tare live: reading the run …");
        frame_put(frame, frame->rows - 1, TONE_BOLD, board->message[0] ? board->message : "q quit");
    } else {
        row = draw_status(board, frame);
        row = draw_curves(board, frame, row);
        draw_list(board, frame, row);
        draw_footer(board, frame);
    }
}
