/* roster.h - what `tare top` shows: one line for each run. It does not use the terminal. */
#ifndef TARE_LIVE_ROSTER_H
#define TARE_LIVE_ROSTER_H

#include "live/feed.h"
#include "live/frame.h"

#define ROSTER_MAX 64 /* runs */

struct roster_row {
    uint32_t pid;                    /* of `tare run` */
    const char *program, *directory; /* borrowed */
    uint64_t ticks;                  /* of the chosen clock */
    uint64_t resident;               /* bytes; 0: not known */
    double growth;                   /* bytes per unit of all leaks found */
    const char *unit;                /* "step", "second" */
    bool judged;                     /* verdict, ticks and growth are known */
    enum kind verdict;
};

struct roster {
    struct roster_row rows[ROSTER_MAX];
    size_t count;
    size_t selected; /* index of the selected row */
    size_t top;      /* index of the first row on the screen */
    size_t hidden;   /* runs of other users, which are not shown */
};

/* Fills the row of a run with what is known about it now. */
void roster_fill(struct roster_row *row, const struct feed *feed);

/* `footer`: the last line of the frame; NULL: none. */
void roster_draw(struct roster *roster, struct frame *frame, const char *footer);

/* Moves the selection. False: this key has no meaning here. */
bool roster_press(struct roster *roster, int key);

#endif /* TARE_LIVE_ROSTER_H */
