/* roster.h - what `tare top` shows: one line for each run that is going on. No terminal in here. */
#ifndef TARE_LIVE_ROSTER_H
#define TARE_LIVE_ROSTER_H

#include "live/feed.h"
#include "live/frame.h"

#define ROSTER_MAX 64 /* runs */

struct roster_row {
    uint32_t pid;                    /* of `tare run` */
    const char *program, *directory; /* borrowed */
    uint64_t ticks, resident;        /* 0: not known */
    double growth;                   /* bytes per step of the leaks found */
    const char *unit;                /* what growth is told by */
    bool judged;                     /* verdict, ticks and growth are known */
    enum kind verdict;
};

struct roster {
    struct roster_row rows[ROSTER_MAX];
    size_t count, selected, top;
    size_t hidden; /* runs of other users, which are not shown */
};

/* The row of a run, from what is known of it by now. */
void roster_fill(struct roster_row *row, const struct feed *feed);

/* `footer`: the last line of the frame, NULL: it has none. */
void roster_draw(struct roster *roster, struct frame *frame, const char *footer);

/* Moves the selection. False: the key means nothing here. */
bool roster_press(struct roster *roster, int key);

#endif /* TARE_LIVE_ROSTER_H */
