/* board.c - see board.h: the list, the selection and the keys. */
#include "live/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MESSAGE_NS 8000000000ull

static const char help[] =
    "  Keys\n"
    "    up, down, j, k      one row; PgUp, PgDn, Home, End: more\n"
    "    Tab                 the next part: suspects, sites, processes\n"
    "    Enter               open the selected line: the finding or the whole stack\n"
    "    Esc                 back; also ends a filter\n"
    "    s                   sort the sites by live, growth, allocated, line; or directly: l, g, a, n\n"
    "    /                   show only lines with a text; Enter keeps the filter, Esc clears it\n"
    "    c                   ask the program to collect its garbage at its next step\n"
    "    h, ?                this page\n"
    "    q                   quit; the program continues\n"
    "\n"
    "  Columns of the sites\n"
    "    live                live bytes that were allocated there, estimated from samples\n"
    "    grown               of these, allocated in the second half of the run\n"
    "    per step            the same per step (or second) of the chosen clock\n"
    "    allocated           all bytes that were ever allocated there\n"
    "\n"
    "  Suspects are the findings of the doctor so far; some may be undecided.\n"
    "  Numbers above the list are current; those in the list are from the last judgement.\n";

void board_init(struct board *board)
{
    memset(board, 0, sizeof(*board));
}

void board_fini(struct board *board)
{
    mem_free(board->entries);
    mem_free(board->page);
    board_init(board);
}

const char *board_sort_name(enum board_sort sort)
{
    static const char *const names[SORTS] = {"live", "growth", "allocated", "line"};

    return names[sort];
}

/* ---- the list ---- */

static bool matches(const struct board *board, const char *text)
{
    return !board->filter[0] || strcasestr(text, board->filter) != NULL;
}

static bool is_shown(const struct board *board, enum board_part part, size_t index)
{
    const struct digest *digest = board->digest;

    switch (part) {
    case PART_SUSPECTS:
        return matches(board, digest_text(digest, digest->findings[index].where)) ||
               matches(board, digest_text(digest, digest->findings[index].summary)) ||
               matches(board, kind_name((enum kind)digest->findings[index].kind));
    case PART_SITES:
        return matches(board, digest_text(digest, digest->sites[index].where));
    default:
        return matches(board, digest_text(digest, digest->processes[index].name));
    }
}

static size_t part_count(const struct digest *digest, enum board_part part)
{
    return (size_t)(part == PART_SUSPECTS ? digest->head.finding_count
                    : part == PART_SITES  ? digest->head.site_count
                                          : digest->head.process_count);
}

static int compare_numbers(double left, double right)
{
    return left > right ? -1 : left < right;
}

static int compare_sites(const void *a, const void *b, void *context)
{
    const struct board *board = context;
    const struct digest *digest = board->digest;
    const struct digest_site *left = &digest->sites[((const struct board_entry *)a)->index];
    const struct digest_site *right = &digest->sites[((const struct board_entry *)b)->index];
    int order = 0;

    if (board->sort == SORT_LINE)
        order = strcmp(digest_text(digest, left->where), digest_text(digest, right->where));
    else if (board->sort == SORT_GROWTH)
        order = compare_numbers(left->growth, right->growth);
    else if (board->sort == SORT_ALLOCATED)
        order = compare_numbers((double)left->allocated, (double)right->allocated);
    if (order == 0)
        order = compare_numbers((double)left->live, (double)right->live);
    return order ? order : (left > right) - (left < right);
}

static void list_part(struct board *board, enum board_part part)
{
    struct board_entry *first;
    size_t begin;

    board->entries[board->entry_count++] = (struct board_entry){.part = part, .heading = true};
    begin = board->entry_count;
    for (size_t i = 0; i < part_count(board->digest, part); i++)
        if (is_shown(board, part, i))
            board->entries[board->entry_count++] = (struct board_entry){.part = part, .index = i};
    first = board->entries + begin;
    if (part == PART_SITES)
        qsort_r(first, board->entry_count - begin, sizeof(*first), compare_sites, board);
}

static void make_list(struct board *board)
{
    size_t most = PARTS;

    board->entry_count = 0;
    if (!board->digest)
        return;
    for (enum board_part part = 0; part < PARTS; part++)
        most += part_count(board->digest, part);
    mem_free(board->entries);
    board->entries = mem_zalloc_array(most, sizeof(*board->entries));
    for (enum board_part part = 0; board->entries && part < PARTS; part++)
        list_part(board, part);
    if (board->selected >= board->entry_count)
        board->selected = board->entry_count ? board->entry_count - 1 : 0;
}

/* ---- the selection ---- */

static bool is_item(const struct board *board, size_t at)
{
    return at < board->entry_count && !board->entries[at].heading;
}

/* The nearest item from `at` in this direction, else in the other direction, else `at`. */
static void select_from(struct board *board, size_t at, bool down)
{
    for (unsigned turn = 0; turn < 2; turn++, down = !down)
        for (size_t i = at; i < board->entry_count; down ? i++ : i--) {
            if (is_item(board, i)) {
                board->selected = i;
                return;
            }
            if (!down && i == 0)
                break;
        }
}

static void move(struct board *board, size_t rows, bool down)
{
    const size_t last = board->entry_count ? board->entry_count - 1 : 0;

    if (down)
        select_from(board, board->selected + rows < last ? board->selected + rows : last, true);
    else
        select_from(board, board->selected > rows ? board->selected - rows : 0, false);
}

static void next_part(struct board *board)
{
    for (size_t i = 1; i <= board->entry_count; i++) {
        const size_t at = (board->selected + i) % board->entry_count;

        if (board->entries[at].heading && is_item(board, at + 1)) {
            board->selected = at + 1;
            board->top = at; /* as much of the part as fits */
            return;
        }
    }
}

/* The name by which an entry is found again in the next digest. */
static const char *identity(const struct board *board, size_t at, uint32_t *pid)
{
    const struct digest *digest = board->digest;
    const size_t index = board->entries[at].index;

    switch (board->entries[at].part) {
    case PART_SUSPECTS:
        *pid = digest->findings[index].pid;
        return digest_text(digest, digest->findings[index].where);
    case PART_SITES:
        *pid = digest->sites[index].pid;
        return digest_text(digest, digest->sites[index].where);
    default:
        *pid = digest->processes[index].pid;
        return digest_text(digest, digest->processes[index].name);
    }
}

static bool is_mark(const struct board *board, size_t at)
{
    uint32_t pid = 0;

    return is_item(board, at) && board->entries[at].part == board->mark.part &&
           strcmp(identity(board, at, &pid), board->mark.name) == 0 && pid == board->mark.pid;
}

/* The selection is kept by name, because the next digest replaces the one that the entries refer to. */
static void remember(struct board *board)
{
    if (!is_item(board, board->selected))
        return;
    board->mark.part = board->entries[board->selected].part;
    (void)snprintf(board->mark.name, sizeof(board->mark.name), "%s",
                   identity(board, board->selected, &board->mark.pid));
}

static void relist(struct board *board)
{
    make_list(board);
    for (size_t i = 0; i < board->entry_count; i++)
        if (is_mark(board, i)) {
            board->selected = i;
            return;
        }
    select_from(board, board->selected, true);
    remember(board);
}

/* ---- readings and judgements ---- */

void board_judged(struct board *board, const struct digest *digest, uint64_t now)
{
    board->digest = digest;
    relist(board);
    board->judged = now;
    board->recent_count = 0;
}

void board_read(struct board *board, const struct board_reading *reading)
{
    board->reading = *reading;
    if (reading->ended || !board->digest || reading->now < board->digest->head.end)
        return;
    if (board->recent_count == BOARD_RECENT) {
        board->recent_count = BOARD_RECENT / 2; /* drops every other reading when the table is full */
        for (size_t i = 0; i < board->recent_count; i++)
            board->recent[i] = board->recent[2 * i + 1];
    }
    board->recent[board->recent_count++] = (struct digest_point){
        .time = reading->now, .resident = reading->resident, .live = reading->live};
}

void board_say(struct board *board, const char *text, uint64_t now)
{
    (void)snprintf(board->message, sizeof(board->message), "%s", text);
    board->message_end = now + MESSAGE_NS;
}

/* ---- keys ---- */

static void open_page(struct board *board, const char *title, const char *text)
{
    mem_free(board->page);
    board->page = mem_copy_text(text, strlen(text));
    board->page_top = 0;
    (void)snprintf(board->page_title, sizeof(board->page_title), "%s", title);
}

static void open_selected(struct board *board)
{
    const struct digest *digest = board->digest;
    const struct board_entry *entry;
    const char *page;
    uint32_t pid = 0;

    if (!is_item(board, board->selected))
        return;
    entry = &board->entries[board->selected];
    page = digest_text(digest, entry->part == PART_SUSPECTS ? digest->findings[entry->index].page
                               : entry->part == PART_SITES  ? digest->sites[entry->index].page
                                                            : digest->processes[entry->index].page);
    open_page(board, identity(board, board->selected, &pid), page);
}

static enum board_wish close_page(struct board *board)
{
    mem_free(board->page);
    board->page = NULL;
    return WISH_DRAW;
}

static enum board_wish type(struct board *board, int key)
{
    const size_t length = strlen(board->filter);

    if (key == PRESS_ENTER) {
        board->typing = false;
    } else if (key == PRESS_ESCAPE) {
        board->typing = false;
        board->filter[0] = 0;
    } else if (key == PRESS_ERASE) {
        size_t at = length;

        while (at > 0 && ((unsigned char)board->filter[--at] & 0xc0u) == 0x80u)
            ; /* the bytes of one character */
        board->filter[at] = 0;
    } else if (key >= ' ' && key < 256 && key != 127 && length + 1 < sizeof(board->filter)) {
        board->filter[length] = (char)key;
        board->filter[length + 1] = 0;
    }
    relist(board);
    return WISH_DRAW;
}

static enum board_wish page_key(struct board *board, int key)
{
    const size_t rows = board->list_rows ? board->list_rows : 1;

    switch (key) {
    case 'q':
        return WISH_QUIT;
    case PRESS_ESCAPE:
    case PRESS_ERASE:
    case PRESS_ENTER:
        return close_page(board);
    case PRESS_DOWN:
    case 'j':
        board->page_top++;
        break;
    case PRESS_UP:
    case 'k':
        board->page_top -= board->page_top > 0;
        break;
    case PRESS_PAGE_DOWN:
    case ' ':
        board->page_top += rows;
        break;
    case PRESS_PAGE_UP:
        board->page_top -= board->page_top > rows ? rows : board->page_top;
        break;
    case PRESS_FIRST:
        board->page_top = 0;
        break;
    default:
        return WISH_NONE;
    }
    return WISH_DRAW;
}

static enum board_wish sort_by(struct board *board, enum board_sort sort)
{
    board->sort = sort;
    relist(board);
    return WISH_DRAW;
}

static enum board_wish move_key(struct board *board, int key)
{
    const size_t rows = board->list_rows > 1 ? board->list_rows - 1 : 1;

    switch (key) {
    case PRESS_DOWN:
    case 'j':
        move(board, 1, true);
        break;
    case PRESS_UP:
    case 'k':
        move(board, 1, false);
        break;
    case PRESS_PAGE_DOWN:
        move(board, rows, true);
        break;
    case PRESS_PAGE_UP:
        move(board, rows, false);
        break;
    case PRESS_FIRST:
        move(board, board->entry_count, false);
        break;
    case PRESS_LAST:
        move(board, board->entry_count, true);
        break;
    case PRESS_TAB:
        next_part(board);
        break;
    default:
        return WISH_NONE;
    }
    remember(board);
    return WISH_DRAW;
}

enum board_wish board_key(struct board *board, int key)
{
    if (board->typing)
        return type(board, key);
    if (board->page)
        return page_key(board, key);
    switch (key) {
    case 'q':
        return WISH_QUIT;
    case 'c':
        return WISH_COLLECT;
    case 's':
        return sort_by(board, (board->sort + 1) % SORTS);
    case 'l':
        return sort_by(board, SORT_LIVE);
    case 'g':
        return sort_by(board, SORT_GROWTH);
    case 'a':
        return sort_by(board, SORT_ALLOCATED);
    case 'n':
        return sort_by(board, SORT_LINE);
    case '/':
        board->typing = true;
        return WISH_DRAW;
    case PRESS_ESCAPE:
        board->filter[0] = 0;
        relist(board);
        return WISH_DRAW;
    case 'h':
    case '?':
        open_page(board, "help", help);
        return WISH_DRAW;
    case PRESS_ENTER:
        open_selected(board);
        return WISH_DRAW;
    default:
        return move_key(board, key);
    }
}
