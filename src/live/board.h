/* board.h - what `tare live` shows of a run, and what the keys do to it; no terminal in here.
 *
 * Above: the status, the answer so far, two curves. Below: one list of suspects, sites and
 * processes that scrolls as a whole. Enter opens the page of what is selected.
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
    uint64_t now, resident, live, ticks, running;
    bool ended, unwatched;
};

/* A line of the list: a heading, or one of a part. */
struct board_entry {
    enum board_part part;
    bool heading;
    size_t index; /* into the digest's array */
};

/* What is selected, from one judgement to the next. */
struct board_mark {
    enum board_part part;
    uint32_t pid;
    char name[512];
};

struct board {
    const struct digest *digest; /* borrowed; NULL until there was a judgement */
    uint64_t judged;             /* when it came */
    struct board_reading reading;
    struct digest_point recent[BOARD_RECENT]; /* oldest first */
    size_t recent_count;
    enum board_sort sort;
    char filter[64];
    bool typing;                 /* the filter */
    struct board_entry *entries; /* owned */
    size_t entry_count, selected, top;
    struct board_mark mark;
    unsigned list_rows; /* of the last frame, to scroll by */
    char *page;         /* owned: the text that is open; NULL: none is */
    char page_title[200];
    size_t page_top; /* in rows */
    char message[200];
    uint64_t message_end; /* when it goes */
};

void board_init(struct board *board);
void board_fini(struct board *board);

/* A new judgement, valid until the next. What is selected stays so, if it is still there. */
void board_judged(struct board *board, const struct digest *digest, uint64_t now);
void board_read(struct board *board, const struct board_reading *reading);
void board_say(struct board *board, const char *text, uint64_t now); /* for a few seconds */

enum board_wish board_key(struct board *board, int key);

void board_draw(struct board *board, struct frame *frame);

const char *board_sort_name(enum board_sort sort);

/* "1:02:03" or "2:03" */
const char *board_elapsed(char out[TEXT_SIZE_MAX], uint64_t from, uint64_t to);

#endif /* TARE_LIVE_BOARD_H */
