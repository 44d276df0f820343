/* roster.c - see roster.h. */
#include "live/roster.h"

#include <stdio.h>
#include <string.h>

#include "doctor/measure/clock.h"
#include "live/press.h"
#include "report/finding_page.h"

#define WIDE          76  /* a terminal with so many columns shows steps and growth */
#define WIDEST        110 /* with so many columns it also shows the directory */
#define PROGRAM_WIDTH 32

void roster_fill(struct roster_row *row, const struct feed *feed)
{
    const struct digest *digest = &feed->digest;
    const struct digest_process *main = digest_main(digest);

    *row = (struct roster_row){.pid = feed->doctor,
                               .program =
                                   feed->judged ? digest_text(digest, digest->head.program) : "",
                               .directory = feed->path,
                               .resident = feed->resident,
                               .ticks = feed_ticks(feed),
                               .unit = clock_rate_name(digest_clock(main)),
                               .growth = main ? main->growth : 0,
                               .judged = feed->judged,
                               .verdict = (enum kind)digest->head.verdict};
}

/* The command without the directory of its first word. */
static const char *short_name(const char *command)
{
    const char *last = command;

    for (const char *at = command; *at && *at != ' '; at++)
        if (*at == '/')
            last = at + 1;
    return last;
}

static void put_row(const struct roster_row *row, const struct frame *frame, char *text,
                    size_t size)
{
    char resident[TEXT_SIZE_MAX], ticks[TEXT_SIZE_MAX], growth[TEXT_SIZE_MAX] = "-";
    char rate[TEXT_SIZE_MAX + 16] = "-";
    const char *verdict = row->judged ? kind_name(row->verdict) : "not judged yet";
    const char *program = short_name(row->program);

    (void)text_size(resident, row->resident);
    if (row->growth > 0)
        (void)snprintf(rate, sizeof(rate), "%s/%s", text_size_signed(growth, row->growth),
                       row->unit);
    if (frame->columns < WIDE)
        (void)snprintf(text, size, "%7u %8s  %-15s  %s", row->pid, resident, verdict, program);
    else
        (void)snprintf(text, size, "%7u %8s %8s %15s  %-15s  %.*s", row->pid,
                       row->judged ? text_count(ticks, row->ticks) : "-", resident, rate, verdict,
                       frame->columns < WIDEST ? 400 : PROGRAM_WIDTH, program);
    if (frame->columns >= WIDEST)
        (void)snprintf(text + strlen(text), size - strlen(text), "%*s  %s",
                       strlen(program) < PROGRAM_WIDTH ? PROGRAM_WIDTH - (int)strlen(program) : 0,
                       "", row->directory);
}

static void scroll(struct roster *roster, size_t rows)
{
    if (roster->selected >= roster->count)
        roster->selected = roster->count ? roster->count - 1 : 0;
    if (roster->selected < roster->top)
        roster->top = roster->selected;
    if (rows > 0 && roster->selected >= roster->top + rows)
        roster->top = roster->selected - rows + 1;
}

void roster_draw(struct roster *roster, struct frame *frame, const char *footer)
{
    const unsigned end = frame->rows - (footer != NULL);
    unsigned row = 0;

    if (footer && (frame->rows < FRAME_ROWS_MIN || frame->columns < FRAME_COLUMNS_MIN)) {
        frame_print(frame, 0, TONE_BOLD, "needs %dx%d, has %ux%u", FRAME_COLUMNS_MIN,
                    FRAME_ROWS_MIN, frame->columns, frame->rows);
        return;
    }
    frame_print(frame, row++, TONE_BOLD, "Runs of tare on this machine: %zu", roster->count);
    if (frame->columns < WIDE)
        frame_print(frame, row++, TONE_FAINT, "%7s %8s  %-15s  %s", "pid", "resident",
                    "verdict so far", "program");
    else
        frame_print(frame, row++, TONE_FAINT, "%7s %8s %8s %15s  %-15s  %-*s%s", "pid", "steps",
                    "resident", "growth", "verdict so far",
                    frame->columns < WIDEST ? 0 : PROGRAM_WIDTH, "program",
                    frame->columns < WIDEST ? "" : "  directory");
    if (roster->hidden > 0)
        frame_print(frame, row++, TONE_FAINT, "%zu run%s of other users not shown (--all-users)",
                    roster->hidden, roster->hidden == 1 ? "" : "s");
    scroll(roster, end - row);
    for (size_t i = roster->top; i < roster->count && row < end; i++, row++) {
        char text[FRAME_BYTES];

        put_row(&roster->rows[i], frame, text, sizeof(text));
        frame_put(frame, row,
                  roster->rows[i].judged ? page_kind_tone(roster->rows[i].verdict) : TONE_PLAIN,
                  text);
        frame->lines[row].marked = footer && i == roster->selected;
    }
    if (footer)
        frame_print(frame, end, TONE_FAINT, "%s  %s", footer,
                    roster->count ? roster->rows[roster->selected].directory : "");
}

bool roster_press(struct roster *roster, int key)
{
    if ((key == PRESS_DOWN || key == 'j') && roster->selected + 1 < roster->count)
        roster->selected++;
    else if ((key == PRESS_UP || key == 'k') && roster->selected > 0)
        roster->selected--;
    else
        return false;
    return true;
}
