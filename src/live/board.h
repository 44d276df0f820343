/* board.h - what `tare live` shows of a run, and what the keys do. It does not use the terminal.
 *
 * At the top are the status, the answer so far and two curves; below them one list of suspects, sites and
 * processes, which scrolls as a whole. Enter opens the page of the selected line.
 */
#ifndef TARE_LIVE_BOARD_H
#define TARE_LIVE_BOARD_H

#include "live/digest.h"
#include "live/frame.h"
#include "live/press.h"

#define BOARD_RECENT 1024 /* readings since the last judgement */

enum board_wish { WISH_NONE, WISH_DRAW, WISH_QUIT, WISH_COLLECT };

enum board_sort { SORT_LIVE, SORT_GROWTH, SORT_ALLOCATED, SORT_LINE, SORTS };

enum board_part { PART_SUSPECTS, PART_SITES, PART_PROCESSES, PARTS };

/* What was read at one moment. */
struct board_reading {
    uint64_t now;            /* CLOCK_MONOTONIC, in ns */
    uint64_t resident, live; /* bytes of the run; 0: not known */
    uint64_t device;         /* bytes in use on devices; 0: not known, or none */
    uint64_t ticks;          /* of the chosen clock */
    uint64_t running;        /* number of processes; 0: not known */
    bool ended;              /* the run is over */
    bool unwatched;          /* `tare run` died; its program may still run */
};

/* A line of the list. */
struct board_entry {
    enum board_part part;
    bool heading; /* the heading of the part, not an item */
    size_t index; /* of the item in the digest's array */
};

/* The selected item, in a form that is still valid after the next judgement. */
struct board_mark {
    enum board_part part;
    uint32_t pid;   /* of the item */
    char name[512]; /* its place, or the name of the process */
};

struct board {
    const struct digest *digest; /* borrowed; NULL until the first judgement */
    uint64_t judged;             /* time of the latest judgement */
    struct board_reading reading; /* the latest */
    struct digest_point recent[BOARD_RECENT]; /* readings since the latest judgement, oldest first */
    size_t recent_count;
    enum board_sort sort;        /* order of the sites */
    char filter[64];             /* only items with this text are shown; empty: all */
    bool typing;                 /* keys are added to the filter */
    struct board_entry *entries; /* owned: the list */
    size_t entry_count;
    size_t selected;             /* index of the selected entry */
    size_t top;                  /* index of the first entry on the screen */
    struct board_mark mark;      /* the selected item */
    unsigned list_rows;          /* rows of the list in the last frame: how far a page key scrolls */
    char *page;                  /* owned: the text of the open page; NULL: no page is open */
    char page_title[200];        /* of the open page */
    size_t page_top;             /* its first row on the screen */
    char message[200];           /* a note to the user; empty: none */
    uint64_t message_end;        /* time until which it is shown */
};

void board_init(struct board *board);
void board_fini(struct board *board);

/* Shows a new judgement, which must be valid until the next. The selection stays if its item still exists. */
void board_judged(struct board *board, const struct digest *digest, uint64_t now);
void board_read(struct board *board, const struct board_reading *reading);
void board_say(struct board *board, const char *text, uint64_t now); /* for a few seconds */

enum board_wish board_key(struct board *board, int key);

void board_draw(struct board *board, struct frame *frame);

const char *board_sort_name(enum board_sort sort);

/* "1:02:03" or "2:03" */
const char *board_elapsed(char out[TEXT_SIZE_MAX], uint64_t from, uint64_t to);

#endif /* TARE_LIVE_BOARD_H */
