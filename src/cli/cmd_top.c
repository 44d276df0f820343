/* cmd_top.c - `tare top`: the runs in progress on this machine that the user may see. */
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/runs.h"
#include "cli/watching.h"
#include "ledger/mailbox.h"
#include "live/roster.h"
#include "live/screen.h"

#define LOOK_EVERY_NS 2000000000ull

struct top {
    struct runs runs;
    struct feed *feeds[ROSTER_MAX]; /* owned */
    size_t feed_count;
    size_t turn; /* the run that is judged next; one at a time */
    struct roster roster;
    struct frame frame;
    uint64_t next_look, next_judgement, drawn;
    bool dirty;
};

static struct top top; /* large */

/* ---- runs come and go ---- */

static bool is_followed(const struct top *t, const char *path)
{
    for (size_t i = 0; i < t->feed_count; i++)
        if (strcmp(t->feeds[i]->path, path) == 0)
            return true;
    return false;
}

static void follow(struct top *t, const char *path)
{
    struct feed *feed;
    struct why why;

    if (is_followed(t, path) || t->feed_count == ROSTER_MAX)
        return;
    feed = mem_zalloc(sizeof(*feed));
    if (feed && feed_open(feed, path, &why) == 0 && feed->state != FEED_ENDED) {
        t->feeds[t->feed_count++] = feed;
        return;
    }
    if (feed)
        feed_close(feed);
    mem_free(feed);
}

static bool is_listed(const char *path, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(paths[i], path) == 0)
            return true;
    return false;
}

static void leave(struct top *t, size_t i)
{
    feed_close(t->feeds[i]);
    mem_free(t->feeds[i]);
    memmove(&t->feeds[i], &t->feeds[i + 1], (t->feed_count - i - 1) * sizeof(t->feeds[0]));
    t->feed_count--;
}

static void look(struct top *t, uint64_t now)
{
    const char *paths[ROSTER_MAX];
    size_t count;

    runs_look(&t->runs);
    count = runs_paths(&t->runs, paths, ROSTER_MAX, &t->roster.hidden);
    for (size_t i = 0; i < count; i++)
        follow(t, paths[i]);
    for (size_t i = t->feed_count; i-- > 0;) {
        feed_read(t->feeds[i]);
        if (t->feeds[i]->state == FEED_ENDED || !is_listed(t->feeds[i]->path, paths, count))
            leave(t, i);
    }
    t->next_look = now + LOOK_EVERY_NS;
    t->dirty = true;
}

/* All runs together may cost as much as one, but the first judgement of each begins at once. */
static void judge(struct top *t, uint64_t now)
{
    struct feed *feed;

    if (t->feed_count == 0)
        return;
    t->turn %= t->feed_count;
    feed = t->feeds[t->turn];
    if (feed->judgement.child == 0 && feed->judged && now < t->next_judgement) {
        t->turn++;
        return;
    }
    if (feed_judge(feed, now)) {
        t->next_judgement = now + feed->judgement.cost_ns * JUDGEMENT_SHARE;
        t->dirty = true;
    }
    if (feed->judgement.child == 0)
        t->turn++;
}

static int judging(const struct top *t)
{
    return t->feed_count ? t->feeds[t->turn % t->feed_count]->judgement.pipe : -1;
}

static void fill(struct top *t)
{
    t->roster.count = t->feed_count;
    for (size_t i = 0; i < t->feed_count; i++)
        roster_fill(&t->roster.rows[i], t->feeds[i]);
}

static void end(struct top *t)
{
    while (t->feed_count > 0)
        leave(t, t->feed_count - 1);
    runs_fini(&t->runs);
}

/* ---- once ---- */

static bool all_judged(const struct top *t)
{
    for (size_t i = 0; i < t->feed_count; i++)
        if (!t->feeds[i]->judged && !t->feeds[i]->trouble.text[0])
            return false;
    return true;
}

static void print_once(struct top *t)
{
    unsigned rows, columns;

    look(t, mailbox_clock());
    while (!all_judged(t)) {
        struct pollfd on = {.events = POLLIN};

        judge(t, mailbox_clock());
        on.fd = judging(t);
        (void)poll(&on, on.fd >= 0, on.fd >= 0 ? 100 : 1);
    }
    (void)setlocale(LC_CTYPE, "");
    watching_print_size(&rows, &columns);
    if (!isatty(STDOUT_FILENO))
        columns = FRAME_COLUMNS_MAX; /* scripts need the directories */
    frame_clear(&t->frame, (unsigned)t->feed_count + 2 + (t->roster.hidden > 0), columns,
                strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
    fill(t);
    roster_draw(&t->roster, &t->frame, NULL);
    frame_write(&t->frame, stdout);
}

/* ---- on the screen ---- */

static void draw(struct top *t, uint64_t now)
{
    unsigned rows, columns;

    screen_size(&rows, &columns);
    t->dirty |= rows != t->frame.rows || columns != t->frame.columns;
    if (!t->dirty || now - t->drawn < SCREEN_REDRAW_NS)
        return;
    frame_clear(&t->frame, rows, columns, screen_is_ascii());
    fill(t);
    roster_draw(&t->roster, &t->frame, "q quit  Enter watch it");
    screen_show(&t->frame);
    t->drawn = now;
    t->dirty = false;
}

/* False: the user wants to quit. */
static bool obey_keys(struct top *t)
{
    struct why why;
    int key;

    while ((key = screen_press()) != PRESS_NONE) {
        if (key == 'q')
            return false;
        if (key == PRESS_ENTER && t->roster.selected < t->feed_count)
            (void)watching_screen(t->feeds[t->roster.selected]->path, &why); /* or it has ended */
        else
            (void)roster_press(&t->roster, key);
        t->dirty = true;
    }
    return true;
}

static void watch(struct top *t)
{
    while (!screen_signal()) {
        const uint64_t now = mailbox_clock();
        uint64_t until;

        if (now >= t->next_look)
            look(t, now);
        judge(t, now);
        if (!obey_keys(t))
            return;
        draw(t, mailbox_clock());
        until = t->dirty ? t->drawn + SCREEN_REDRAW_NS : t->next_look;
        screen_wait(judging(t), until > now ? until - now : 0);
    }
}

int cmd_top(int argc, char **argv)
{
    bool once = false;
    const struct opt opts[] = {
        {"once", "print the list and end; needs no terminal", .flag = &once},
        {"all-users", "also the runs of other users", .flag = &top.runs.all_users},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    struct why why = {""};
    int number;

    if (first < 0 || argc - first != 0)
        return cli_usage("tare top [--once] [--all-users]", opts);
    if (once) {
        print_once(&top);
        end(&top);
        return EXIT_CLEAN;
    }
    if (screen_open(&why) != 0)
        return speech_fail(ERR_IO, &why);
    watch(&top);
    number = screen_signal();
    screen_close();
    end(&top);
    if (number)
        screen_die(number);
    return EXIT_CLEAN;
}
