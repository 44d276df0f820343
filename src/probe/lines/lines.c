/* lines.c - see lines.h.
 *
 * The numbers are kept in the ledger itself, in records that only the holder of the interpreter's
 * lock writes. Resident size and other threads cost microseconds to read: they are read when a stay
 * has lasted long enough to bear it; a shorter one leaves its part to the next stay that is read.
 */
#include "probe/lines/lines.h"

#include <errno.h>
#include <string.h>

#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/core/thread_sums.h"
#include "probe/lines/small_count.h"
#include "probe/record/maps.h"
#include "probe/record/step.h"

#define DEPTH 64              /* marked functions open on one thread */
#define ROWS 16384            /* slots of the table of rows: twice what the ledger holds */
#define NAME_BYTES 256
#define FILE_BYTES 1024
#define LONG_NS 20000u        /* a stay this long justifies a look at everything (3 µs and more) */
#define LONG_TIMES 8          /* with many threads: this many times what the last look took */

struct reading {
    uint64_t born, dead, time;         /* by this thread */
    uint64_t others_born, others_dead; /* by all others, when last looked at */
    uint64_t resident;                 /* likewise */
};

struct function {
    uintptr_t code;
    uint32_t first_line;
    char name[NAME_BYTES], file[FILE_BYTES];
};

/* One marked function that is open. */
struct activation {
    unsigned function;
    uint32_t line;       /* 0: none begun so far */
    bool fresh;          /* the stay is a hit */
    bool waits;          /* the same function was called from here: the stay is interrupted */
    struct reading from; /* at the beginning of the stay, or of its last part */
    uint64_t added, released; /* in the parts before */
};

struct open_functions {
    uint32_t depth;
    struct activation stack[DEPTH];
    struct reading latest; /* others and resident, as last looked at, and when */
    uint64_t cost;         /* nanoseconds that the look took */
};

/* Where a row lies in the ledger. */
struct row {
    uint32_t function, line; /* function 0: a free slot */
    uint32_t record;         /* index + 1 */
};

static struct function functions[LINES_FUNCTIONS];
static unsigned function_count;  /* with the lock, as all of this */
static struct row *rows;         /* ROWS of them; private pages, wiped by a fork */
static __thread struct open_functions *mine; /* likewise: calls open in a parent are not continued */

/* ---- functions ---- */

unsigned lines_find(uintptr_t code)
{
    for (unsigned i = 0; i < function_count; i++)
        if (functions[i].code == code)
            return i + 1;
    return 0;
}

unsigned lines_mark(uintptr_t code, const char *name, const char *file, uint32_t first_line)
{
    const unsigned known = lines_find(code);
    struct function *function;

    if (known || function_count == LINES_FUNCTIONS)
        return known;
    function = &functions[function_count];
    function->code = code;
    function->first_line = first_line;
    strncpy(function->name, name, sizeof(function->name) - 1);
    strncpy(function->file, file, sizeof(function->file) - 1);
    return ++function_count;
}

/* ---- rows ---- */

static struct ledger *ledger_here(void)
{
    struct thread *thread = thread_self;
    struct ledger *ledger = state_ledger_now();

    if (ledger || !thread || thread->busy || thread->alive != THREAD_ALIVE)
        return ledger;
    thread->busy = 1;
    ledger = state_ledger();
    thread->busy = 0;
    return ledger;
}

static struct row *slot_of(unsigned function, uint32_t line)
{
    uint32_t at = (function * 0x9E3779B1u ^ line * 0x85EBCA6Bu) % ROWS;

    for (uint32_t tries = 0; tries < ROWS; tries++, at = (at + 1) % ROWS)
        if (rows[at].function == 0 || (rows[at].function == function && rows[at].line == line))
            return &rows[at];
    return NULL;
}

static uint32_t row_made(struct ledger *ledger, unsigned function, uint32_t line, uint32_t parent)
{
    const struct function *from = &functions[function - 1];
    struct line_record record = {
        .line = line, .function = parent, .first_line = from->first_line, .least = INT64_MAX,
        .most = INT64_MIN, .flags = LINE_LOCALS | (small_count_possible() ? LINE_SMALL : 0)};
    const struct line_record *all = ledger_records(ledger, SECTION_line_rows);

    if (line) {
        record.file = all[parent - 1].file;
        record.name = all[parent - 1].name;
    } else {
        record.file = ledger_string(ledger, from->file, strlen(from->file));
        record.name = ledger_string(ledger, from->name, strlen(from->name));
    }
    return ledger_append(ledger, SECTION_line_rows, &record);
}

/* The record of a line, or of the function where `line` is 0; NULL: there is no room. */
static struct line_record *row(struct ledger *ledger, unsigned function, uint32_t line)
{
    struct line_record *all = ledger_records(ledger, SECTION_line_rows);
    struct row *slot;
    uint32_t parent = 0;

    if (line) {
        const struct line_record *own = row(ledger, function, 0);

        if (!own)
            return NULL;
        parent = (uint32_t)(own - all) + 1;
    }
    slot = slot_of(function, line);
    if (!slot)
        return NULL;
    if (slot->function == 0) {
        slot->record = row_made(ledger, function, line, parent);
        slot->function = function;
        slot->line = line;
        if (!line && slot->record)
            __atomic_store_n(&all[slot->record - 1].function, slot->record, __ATOMIC_RELAXED);
        if (!slot->record)
            ledger_lose(ledger, LOST_lines_full, 1);
    }
    return slot->record ? &all[slot->record - 1] : NULL;
}

static void add(uint64_t *to, uint64_t more)
{
    __atomic_store_n(to, *to + more, __ATOMIC_RELAXED);
}

/* ---- readings ---- */

static struct thread_flow own_flow(void)
{
    return thread_self ? thread_flow(thread_self) : (struct thread_flow){0, 0};
}

static void read_own(struct reading *out)
{
    const struct maps_flow maps = maps_of_thread();
    const struct small_flow small = small_count_of_thread();
    const struct thread_flow heap = own_flow();

    out->born = maps.born + small.born + heap.born;
    out->dead = maps.dead + small.dead + heap.dead;
    out->time = raw_now();
}

/* Sums over all threads, less this one. */
static void read_all(struct open_functions *all, uint64_t now)
{
    const struct thread_flow own = own_flow();
    struct reading *latest = &all->latest;
    struct thread_sums sums;
    uint64_t dead = 0;

    thread_sum_lately(&sums);
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        dead += sums.classes[c].dead_bytes;
    latest->others_born = sums.born_bytes - own.born;
    latest->others_dead = dead - own.dead;
    latest->resident = step_resident();
    latest->time = raw_now();
    all->cost = latest->time - now;
}

/* Is a time long enough to be examined? */
static bool is_long(const struct open_functions *all, uint64_t nanoseconds)
{
    return nanoseconds >= LONG_NS && nanoseconds >= LONG_TIMES * all->cost;
}

/* ---- stays ---- */

/* `now` has been read a moment ago. */
static void begin_part(const struct open_functions *all, struct activation *one,
                       const struct reading *now)
{
    one->from = *now;
    one->from.others_born = all->latest.others_born;
    one->from.others_dead = all->latest.others_dead;
    one->from.resident = all->latest.resident;
}

/* Adds what others did and the resident size since `from`, when the stay was long enough to ask. */
static void add_rest(struct open_functions *all, const struct activation *one,
                     struct line_record *record, struct reading *now)
{
    if (!is_long(all, now->time - one->from.time))
        return;
    read_all(all, now->time);
    add(&record->others_added, all->latest.others_born - one->from.others_born);
    add(&record->others_released, all->latest.others_dead - one->from.others_dead);
    __atomic_store_n(&record->resident,
                     record->resident + (int64_t)(all->latest.resident - one->from.resident),
                     __ATOMIC_RELAXED);
}

static struct line_record *row_of(const struct activation *one)
{
    struct ledger *ledger = one->line ? ledger_here() : NULL;

    return ledger ? row(ledger, one->function, one->line) : NULL;
}

static void end_part(struct open_functions *all, struct activation *one,
                     struct line_record *record, struct reading *now)
{
    if (!record)
        return;
    add_rest(all, one, record, now);
    one->added += now->born - one->from.born;
    one->released += now->dead - one->from.dead;
    add(&record->time_ns, now->time - one->from.time);
}

static void end_stay(struct open_functions *all, struct activation *one, struct reading *now)
{
    struct line_record *record = row_of(one);
    int64_t net;

    if (!one->waits)
        end_part(all, one, record, now);
    if (record) {
        net = (int64_t)(one->added - one->released);
        add(&record->added, one->added);
        add(&record->released, one->released);
        add(&record->hits, one->fresh);
        if (net < record->least)
            __atomic_store_n(&record->least, net, __ATOMIC_RELAXED);
        if (net > record->most)
            __atomic_store_n(&record->most, net, __ATOMIC_RELAXED);
    }
    one->added = one->released = 0;
    one->line = 0;
}

/* ---- what is open ---- */

static bool ready(void)
{
    if (!rows)
        rows = own_map(ROWS * sizeof(*rows));
    if (!mine)
        mine = own_map(sizeof(*mine));
    return rows && mine;
}

/* The innermost open call of this function; what lies above it has ended unseen. NULL: none. */
static struct activation *find_open(unsigned function)
{
    uint32_t at = mine ? mine->depth : 0;

    while (at > 0 && mine->stack[at - 1].function != function)
        at--;
    return at > 0 ? &mine->stack[at - 1] : NULL;
}

/* The last call of the same function below `one`. */
static struct activation *outer_of(const struct activation *one)
{
    for (uint32_t at = (uint32_t)(one - mine->stack); at > 0; at--)
        if (mine->stack[at - 1].function == one->function)
            return &mine->stack[at - 1];
    return NULL;
}

static void pop(void)
{
    struct activation *one = &mine->stack[mine->depth - 1], *outer = outer_of(one);
    struct reading now;

    read_own(&now);
    end_stay(mine, one, &now);
    mine->depth--;
    small_count_end();
    if (outer && outer->waits) {
        outer->waits = false;
        begin_part(mine, outer, &now);
    }
}

bool lines_inside(void)
{
    return mine && mine->depth > 0;
}

void lines_enter(unsigned function, bool called)
{
    struct ledger *ledger = ledger_here();
    const int saved = errno;
    struct activation *outer;
    struct line_record *own;

    if (!function || !ledger || !ready() || mine->depth == DEPTH)
        return;
    outer = find_open(function);
    if (outer && !outer->waits) {
        struct reading now;

        read_own(&now);
        end_part(mine, outer, row_of(outer), &now);
        outer->waits = true;
    }
    small_count_begin();
    if (mine->depth == 0 && is_long(mine, raw_now() - mine->latest.time))
        read_all(mine, raw_now());
    mine->stack[mine->depth++] = (struct activation){.function = function};
    own = row(ledger, function, 0);
    if (own && called)
        add(&own->hits, 1);
    errno = saved;
}

void lines_at(unsigned function, uint32_t line, bool fresh)
{
    struct activation *one = find_open(function);
    const int saved = errno;
    struct reading now;

    if (!one)
        return;
    while (one != &mine->stack[mine->depth - 1])
        pop();
    read_own(&now);
    end_stay(mine, one, &now);
    one->line = line;
    one->fresh = fresh;
    begin_part(mine, one, &now);
    errno = saved;
}

void lines_leave(unsigned function, bool locals)
{
    struct ledger *ledger = ledger_here();
    const int saved = errno;
    struct activation *one = find_open(function);
    struct line_record *own = one && ledger ? row(ledger, function, 0) : NULL;

    if (own && !locals)
        __atomic_store_n(&own->flags, own->flags & ~(uint32_t)LINE_LOCALS, __ATOMIC_RELAXED);
    while (one && one < &mine->stack[mine->depth])
        pop();
    errno = saved;
}

void lines_discount(uint64_t born, uint64_t dead)
{
    for (uint32_t i = 0; mine && i < mine->depth; i++) {
        mine->stack[i].from.born += born;
        mine->stack[i].from.dead += dead;
    }
}

void lines_pause(struct lines_pause *pause)
{
    struct reading now = {0};

    if (lines_inside())
        read_own(&now);
    *pause = (struct lines_pause){.born = now.born, .dead = now.dead};
}

void lines_resume(const struct lines_pause *pause)
{
    struct reading now;

    if (!lines_inside())
        return;
    read_own(&now);
    lines_discount(now.born - pause->born, now.dead - pause->dead);
}

void lines_clear(void)
{
    struct ledger *ledger = state_ledger_now();
    struct line_record *all = ledger ? ledger_records(ledger, SECTION_line_rows) : NULL;
    const uint64_t used = ledger ? ledger_entry(ledger, SECTION_line_rows)->used : 0;

    for (uint64_t i = 0; i < used; i++) {
        all[i].least = INT64_MAX;
        all[i].most = INT64_MIN;
        all[i].hits = all[i].added = all[i].released = all[i].time_ns = 0;
        all[i].others_added = all[i].others_released = 0;
        all[i].resident = 0;
    }
}
