/* watching.c - see watching.h. */
#include "cli/watching.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ledger/mailbox.h"
#include "live/asks.h"
#include "live/board.h"
#include "live/feed.h"
#include "live/screen.h"

#define READ_EVERY_NS 500000000ull
#define PRINT_COLUMNS 80

struct watching {
    struct feed feed;
    struct board board;
    struct asks asks;
    struct frame frame;
    uint64_t next_read, drawn;
    bool dirty; /* the screen must be drawn again */
};

static struct watching watching; /* large */

static int begin(struct watching *w, const char *path, struct why *why)
{
    memset(w, 0, sizeof(*w));
    board_init(&w->board);
    return feed_open(&w->feed, path, why);
}

static void end(struct watching *w)
{
    asks_fini(&w->asks);
    board_fini(&w->board);
    feed_close(&w->feed);
}

static void read_run(struct watching *w, uint64_t now)
{
    struct board_reading reading;

    feed_read(&w->feed);
    reading = (struct board_reading){.now = now,
                                     .resident = w->feed.resident,
                                     .live = w->feed.live,
                                     .device = w->feed.device,
                                     .ticks = feed_ticks(&w->feed),
                                     .running = w->feed.running,
                                     .ended = w->feed.state == FEED_ENDED,
                                     .unwatched = w->feed.state == FEED_UNWATCHED};
    board_read(&w->board, &reading);
    w->next_read = now + READ_EVERY_NS;
    w->dirty = true;
}

static void judge_run(struct watching *w, uint64_t now)
{
    if (!feed_judge(&w->feed, now))
        return;
    if (w->feed.trouble.text[0])
        board_say(&w->board, w->feed.trouble.text, now);
    else
        board_judged(&w->board, &w->feed.digest, now);
    w->dirty = true;
}

/* ---- on the screen ---- */

static void draw(struct watching *w, uint64_t now)
{
    unsigned rows, columns;

    if (!w->dirty || now - w->drawn < SCREEN_REDRAW_NS)
        return;
    screen_size(&rows, &columns);
    frame_clear(&w->frame, rows, columns, screen_is_ascii());
    board_draw(&w->board, &w->frame);
    screen_show(&w->frame);
    w->drawn = now;
    w->dirty = false;
}

/* False: the user wants to quit. */
static bool obey_keys(struct watching *w, uint64_t now)
{
    unsigned rows, columns;
    int key;

    while ((key = screen_press()) != PRESS_NONE) {
        const enum board_wish wish = board_key(&w->board, key);

        if (wish == WISH_QUIT)
            return false;
        if (wish == WISH_COLLECT) {
            asks_collect(&w->asks, &w->feed, now);
            board_say(&w->board, w->asks.says, now);
        }
        w->dirty |= wish != WISH_NONE;
    }
    screen_size(&rows, &columns);
    w->dirty |= rows != w->frame.rows || columns != w->frame.columns;
    return true;
}

static void wait_for_more(const struct watching *w, uint64_t now)
{
    uint64_t until = w->next_read;

    if (w->dirty && w->drawn + SCREEN_REDRAW_NS < until)
        until = w->drawn + SCREEN_REDRAW_NS;
    screen_wait(w->feed.judgement.pipe, until > now ? until - now : 0);
}

int watching_screen(const char *path, struct why *why)
{
    struct watching *w = &watching;
    const int err = begin(w, path, why);

    if (err)
        return err;
    while (!screen_signal()) {
        const uint64_t now = mailbox_clock();

        if (now >= w->next_read)
            read_run(w, now);
        judge_run(w, now);
        if (asks_look(&w->asks, now)) {
            board_say(&w->board, w->asks.says, now);
            w->dirty = true;
        }
        if (!obey_keys(w, now))
            break;
        draw(w, now);
        wait_for_more(w, mailbox_clock());
    }
    end(w);
    return 0;
}

/* ---- once ---- */

void watching_print_size(unsigned *rows, unsigned *columns)
{
    struct winsize size = {.ws_row = 0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size = (struct winsize){.ws_row = FRAME_ROWS_MAX, .ws_col = PRINT_COLUMNS};
    *rows = size.ws_row > FRAME_ROWS_MIN ? size.ws_row : FRAME_ROWS_MIN;
    *columns = size.ws_col > FRAME_COLUMNS_MIN ? size.ws_col : FRAME_COLUMNS_MIN;
}

static void print(struct watching *w)
{
    unsigned rows, columns;

    (void)setlocale(LC_CTYPE, "");
    watching_print_size(&rows, &columns);
    frame_clear(&w->frame, rows, columns, strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
    board_draw(&w->board, &w->frame);
    frame_put(&w->frame, w->frame.rows - 1, TONE_PLAIN, ""); /* no keys to press */
    frame_write(&w->frame, stdout);
}

int watching_once(const char *path, struct why *why)
{
    struct watching *w = &watching;
    int err = begin(w, path, why);

    if (err)
        return err;
    while (!w->feed.judged && !w->feed.trouble.text[0]) {
        struct pollfd on = {.fd = w->feed.judgement.pipe, .events = POLLIN};

        judge_run(w, mailbox_clock());
        on.fd = w->feed.judgement.pipe;
        (void)poll(&on, 1, 100);
    }
    read_run(w, mailbox_clock());
    if (w->feed.judged)
        print(w);
    else
        err = fail(why, ERR_FORMAT, "%s", w->feed.trouble.text);
    end(w);
    return err;
}
