/* writer.c - see writer.h. It runs inside the program: what fails here is counted, never raised. */
#include "ledger/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/owned.h"
#include "base/quiet.h"

#define CHUNK_BYTES   (64u * 1024u) /* least room taken at a time */
#define REFUSED_NS    1000000000u /* after a refusal no room is requested for this long */
#define TEXT_MAX      4000
#define LOCK_SPINS    200
#define LOCK_YIELDS   50
#define LOCK_TRIES    (LOCK_SPINS + LOCK_YIELDS + 1000)
#define LOCK_SLEEP_NS 50000 /* about 100 us with the timer's slack */

struct plan {
    uint32_t number, record_size, shape;
    uint64_t capacity, start;
    uint32_t roles; /* bit per enum ledger_role */
};

static const struct plan plans[] = {
#define SECTION(number, name, record, shape, capacity, start, says)                              \
    {number, sizeof(record), SHAPE_##shape, capacity, start,                                     \
     (number >= SECTION_samples && number <= SECTION_accounts) ||                                    \
             number == SECTION_sources || number == SECTION_folded || number == SECTION_packages ||  \
             number == SECTION_effort                                                                \
         ? 1u << ROLE_RUN                                                                            \
         : 1u << ROLE_PROCESS},
#include "ledger/sections.def"
#undef SECTION
};

#define PLAN_COUNT (sizeof(plans) / sizeof(plans[0]))

_Static_assert(sizeof(struct ledger_header) <= LEDGER_HEADER_SIZE, "the header is one page");
_Static_assert(PLAN_COUNT <= LEDGER_SECTIONS_MAX, "the header's table holds every section");
#define SECTION(number, name, record, shape, capacity, start, says)                                \
    _Static_assert(sizeof(record) % 8 == 0, #name " records are whole words");
#include "ledger/sections.def"
#undef SECTION

/* Texts, notes and losses belong in either kind of ledger; the rest in one. */
static bool planned(const struct plan *plan, enum ledger_role role)
{
    const bool both = plan->number == SECTION_strings || plan->number == SECTION_notes ||
                      plan->number == SECTION_lost;

    return both || (plan->roles & 1u << role);
}

void ledger_name(char *name, uint32_t pid, uint32_t generation, const char *suffix)
{
    (void)snprintf(name, LEDGER_NAME_MAX, "%u.%u%s", pid, generation, suffix);
}

struct section_entry *ledger_entry(const struct ledger *ledger, enum section section)
{
    return &ledger->head->table[section];
}

void *ledger_records(const struct ledger *ledger, enum section section)
{
    return (char *)ledger->head + ledger->head->table[section].offset;
}

/* ---- locks ---- */

enum { LOCK_FREE, LOCK_HELD, LOCK_GIVEN_UP };

/* What is locked is rare and short, but its holder may be off the processor or waiting for the
 * disk: spin, then yield, then sleep, about 100 ms in total. A holder that has not released the
 * lock by then may never do so (its thread may be dead): from then on no thread waits for it, and
 * what could not be written is counted as lost. */
static bool lock(uint8_t *held)
{
    uint8_t seen = LOCK_FREE;

    for (unsigned tries = 0; tries < LOCK_TRIES; tries++) {
        seen = LOCK_FREE;
        if (__atomic_compare_exchange_n(held, &seen, LOCK_HELD, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
        if (seen == LOCK_GIVEN_UP)
            return false;
        if (tries > LOCK_SPINS + LOCK_YIELDS)
            quiet_sleep(LOCK_SLEEP_NS);
        else if (tries > LOCK_SPINS)
            (void)sched_yield();
    }
    seen = LOCK_HELD;
    (void)__atomic_compare_exchange_n(held, &seen, LOCK_GIVEN_UP, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED);
    return false;
}

static void unlock(uint8_t *held)
{
    __atomic_store_n(held, LOCK_FREE, __ATOMIC_RELEASE);
}

/* ---- room ---- */

/* No descriptor is kept: programs close what they did not open, and reuse the number. */
static int reopen(const struct ledger *ledger)
{
    const int fd = quiet_open(AT_FDCWD, ledger->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
    struct stat info;

    if (fd < 0)
        return -1;
    if (fstat(fd, &info) == 0 && info.st_dev == ledger->device && info.st_ino == ledger->inode)
        return fd;
    quiet_close(fd);
    errno = ENOENT;
    return -1;
}

static uint64_t rounded(uint64_t want, const struct section_entry *entry)
{
    const uint64_t step = CHUNK_BYTES / entry->record_size + 1;
    const uint64_t up = (want + step - 1) / step * step;

    return up < entry->capacity ? up : entry->capacity;
}

/* With the file; false: refused. */
static bool extend_file(struct ledger *ledger, int fd, const struct section_entry *entry,
                        uint64_t want)
{
    return pieces_reserve(fd, entry->offset + entry->taken * entry->record_size,
                          (want - entry->taken) * entry->record_size) == 0 &&
           pieces_map(&ledger->pieces, ledger->head, fd, entry, want);
}

/* Takes records taken..want-1 from the disk, and maps them. Holding `taking`. A process that has
 * become another user may not open the file, nor one in another root directory: it continues with
 * what it has mapped. A file that is gone is not written any more. */
static bool extend(struct ledger *ledger, struct section_entry *entry, uint64_t want)
{
    const bool detached = __atomic_load_n(&ledger->detached, __ATOMIC_RELAXED);
    const int saved = errno, fd = detached ? -1 : reopen(ledger);
    bool ok = false;

    if (fd >= 0) {
        ok = extend_file(ledger, fd, entry, want);
        quiet_close(fd);
    } else if (detached || errno == EACCES) {
        ok = pieces_grow(&ledger->pieces, ledger->head, entry, want);
    }
    errno = saved;
    if (!ok)
        return false;
    INVARIANT(want > entry->taken && want <= entry->capacity);
    __atomic_store_n(&entry->taken, want, __ATOMIC_RELEASE); /* acquired by ledger_take */
    return true;
}

static uint64_t clock_ns(clockid_t which)
{
    struct timespec now;

    (void)clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A disk that was full a moment ago is full now: asking costs three system calls. */
static bool refused_lately(const struct ledger *ledger)
{
    const uint64_t last = __atomic_load_n(&ledger->refused, __ATOMIC_RELAXED);

    return last != 0 && clock_ns(CLOCK_MONOTONIC) - last < REFUSED_NS;
}

/* One at a time: where zeros must be written, a second taker of the same room would write them over
 * the first one's records. */
bool ledger_take(struct ledger *ledger, enum section section, uint64_t count)
{
    struct section_entry *entry = ledger_entry(ledger, section);
    bool ok = false;

    if (count <= __atomic_load_n(&entry->taken, __ATOMIC_ACQUIRE))
        return true;
    if (count > entry->capacity)
        return false;
    if (!refused_lately(ledger) && lock(&ledger->taking)) {
        ok = count <= entry->taken || extend(ledger, entry, rounded(count, entry));
        unlock(&ledger->taking);
        if (!ok)
            __atomic_store_n(&ledger->refused, clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
    }
    if (!ok)
        ledger_lose(ledger, LOST_space_refused, 1);
    return ok;
}

void ledger_detach(struct ledger *ledger, bool elsewhere)
{
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        struct section_entry *entry = ledger_entry(ledger, (enum section)plans[i].number);

        if (entry->capacity == 0 || !lock(&ledger->taking))
            continue;
        if (entry->taken == 0)
            (void)extend(ledger, entry, 1);
        unlock(&ledger->taking);
    }
    if (elsewhere)
        __atomic_store_n(&ledger->detached, true, __ATOMIC_RELAXED);
}

/* ---- making one ---- */

/* A small ledger has less of everything but the levels, whose places are fixed, and what is
 * there from the start. Tables stay powers of two. */
static uint64_t capacity_of(const struct plan *plan, bool small)
{
    const bool fixed = plan->shape == SHAPE_FIXED || plan->shape == SHAPE_LEVELS;

    return small && !fixed ? plan->capacity / LEDGER_SMALL_SHARE : plan->capacity;
}

static uint64_t start_of(const struct plan *plan, bool small)
{
    const uint64_t less = plan->start / LEDGER_SMALL_SHARE;

    if (!small || plan->shape == SHAPE_FIXED || plan->start == 0)
        return plan->start;
    return less > 0 ? less : 1;
}

static uint64_t lay_out(struct section_entry *table, const struct ledger_identity *identity)
{
    uint64_t at = LEDGER_HEADER_SIZE;

    for (size_t i = 0; i < PLAN_COUNT; i++) {
        const struct plan *plan = &plans[i];
        struct section_entry *entry = &table[plan->number];

        if (!planned(plan, identity->role))
            continue;
        *entry = (struct section_entry){.number = plan->number,
                                        .record_size = plan->record_size,
                                        .offset = at,
                                        .capacity = capacity_of(plan, identity->small)};
        at += (entry->capacity * plan->record_size + 4095) & ~4095ull;
    }
    return at;
}

/* No more than that, not a chunk for each section: most processes need no more, and there may be
 * thousands of them. */
static bool take_first_room(struct ledger *ledger, const struct ledger_identity *identity)
{
    bool ok = true;

    for (size_t i = 0; i < PLAN_COUNT && ok; i++) {
        const struct plan *plan = &plans[i];
        const uint64_t start = start_of(plan, identity->small);
        struct section_entry *entry = ledger_entry(ledger, (enum section)plan->number);

        if (!planned(plan, identity->role) || start == 0)
            continue;
        ok = extend(ledger, entry, start);
        if (ok && plan->shape == SHAPE_TABLE)
            entry->used = start;
        if (ok && plan->shape == SHAPE_FIXED)
            entry->used = plan->capacity;
    }
    return ok;
}

static void fill_header(struct ledger *ledger, const struct ledger_identity *identity)
{
    struct ledger_header *head = ledger->head;

    head->header_size = LEDGER_HEADER_SIZE;
    head->file_size = ledger->size;
    head->role = identity->role;
    head->sections = LEDGER_SECTIONS_MAX;
    head->pid = identity->pid;
    head->parent_pid = identity->parent_pid;
    head->generation = identity->generation;
    head->run = identity->run;
    head->rate = identity->rate;
    head->page_size = 4096;
    head->start_mono = clock_ns(CLOCK_MONOTONIC);
    head->start_real = clock_ns(CLOCK_REALTIME);
    head->seen_mono = head->start_mono;
}

static uint32_t text_id(struct ledger *ledger, const char *text)
{
    return text ? ledger_string(ledger, text, strlen(text)) : 0;
}

static void fill_texts(struct ledger *ledger, const struct ledger_identity *identity)
{
    ledger->head->program = text_id(ledger, identity->program);
    ledger->head->command = text_id(ledger, identity->command);
    ledger->head->allocator = text_id(ledger, identity->allocator);
}

static int map_new(struct ledger *ledger, int fd, const struct ledger_identity *identity,
                   struct why *why)
{
    struct section_entry table[LEDGER_SECTIONS_MAX] = {{0}};
    struct stat info;
    int error;

    ledger->size = lay_out(table, identity);
    if (!quiet_may_reach(ledger->size))
        return fail(why, ERR_IO, "%s: the limit on file sizes forbids %llu bytes (ulimit -f)",
                    ledger->path, (unsigned long long)ledger->size);
    error = ftruncate(fd, (off_t)ledger->size) != 0 ? errno : pieces_reserve(fd, 0, LEDGER_HEADER_SIZE);
    if (!error && fstat(fd, &info) != 0)
        error = errno;
    if (error)
        return fail(why, ERR_IO, "%s: %s", ledger->path, err_words(error));
    ledger->device = info.st_dev;
    ledger->inode = info.st_ino;
    ledger->head = pieces_open(&ledger->pieces, fd, ledger->size, identity->role == ROLE_RUN);
    if (!ledger->head)
        return fail(why, ERR_IO, "%s: cannot map it: %s", ledger->path, err_words(errno));
    memcpy(ledger->head->table, table, sizeof(table));
    return 0;
}

int ledger_create(struct ledger *ledger, const char *directory, const char *name,
                  const struct ledger_identity *identity, struct why *why)
{
    const int length = snprintf(ledger->path, sizeof(ledger->path), "%s/%s", directory, name);
    uint64_t magic;
    int within, fd, err;

    ledger->head = NULL;
    ledger->appending = 0;
    ledger->refused = 0;
    ledger->taking = 0;
    ledger->detached = false;
    if (length < 0 || (size_t)length >= sizeof(ledger->path))
        return fail(why, ERR_IO, "%s: the path is too long", directory);
    within = owned_open(directory);
    if (within < 0)
        return fail(why, ERR_IO, "%s: %s", directory, err_words(errno));
    fd = quiet_open(within, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    err = errno;
    quiet_close(within);
    errno = err;
    if (fd < 0)
        return fail(why, ERR_IO, "%s: %s", ledger->path, err_words(errno));
    err = map_new(ledger, fd, identity, why);
    quiet_close(fd);
    if (!err && !take_first_room(ledger, identity))
        err = fail(why, ERR_IO, "%s: no room on the disk", ledger->path);
    if (err) {
        (void)unlink(ledger->path);
        ledger_close(ledger);
        return err;
    }
    fill_header(ledger, identity);
    fill_texts(ledger, identity);
    ledger->head->version = LEDGER_VERSION;
    /* The magic makes it a ledger: an earlier reader sees none, a later one sees all of it. */
    memcpy(&magic, LEDGER_MAGIC, sizeof(magic));
    __atomic_store_n((uint64_t *)(void *)ledger->head->magic, magic, __ATOMIC_RELEASE);
    return 0;
}

void ledger_close(struct ledger *ledger)
{
    if (ledger->head)
        pieces_close(&ledger->pieces, ledger->head);
    ledger->head = NULL;
}

/* ---- appending ---- */

/* A LOG is written, then published by moving `used` over it, by one writer at a time. */

/* The address of `count` records behind the last, or NULL. Holding the lock. */
static void *room_for(struct ledger *ledger, enum section section, uint64_t count)
{
    const struct section_entry *entry = ledger_entry(ledger, section);

    if (entry->used + count > entry->capacity || !ledger_take(ledger, section, entry->used + count))
        return NULL;
    return (char *)ledger_records(ledger, section) + entry->used * entry->record_size;
}

static uint32_t publish(struct ledger *ledger, enum section section, uint64_t count)
{
    struct section_entry *entry = ledger_entry(ledger, section);
    const uint64_t index = entry->used;

    INVARIANT(count > 0 && index + count <= entry->taken);
    __atomic_store_n(&entry->used, index + count, __ATOMIC_RELEASE); /* acquired by the reader */
    return (uint32_t)index + 1;
}

uint32_t ledger_append(struct ledger *ledger, enum section section, const void *record)
{
    uint32_t id = 0;
    void *to;

    if (!lock(&ledger->appending))
        return 0;
    to = room_for(ledger, section, 1);
    if (to) {
        memcpy(to, record, ledger_entry(ledger, section)->record_size);
        id = publish(ledger, section, 1);
    }
    unlock(&ledger->appending);
    return id;
}

uint32_t ledger_string(struct ledger *ledger, const char *text, size_t length)
{
    const uint32_t size = (uint32_t)(length < TEXT_MAX ? length : TEXT_MAX);
    const uint64_t units = (sizeof(size) + (uint64_t)size + 1 + 7) / 8;
    uint32_t id = 0;
    uint8_t *to = NULL;

    if (lock(&ledger->appending)) {
        to = room_for(ledger, SECTION_strings, units);
        if (to) {
            memcpy(to, &size, sizeof(size));
            memcpy(to + sizeof(size), text, size);
            to[sizeof(size) + size] = 0;
            id = publish(ledger, SECTION_strings, units);
        }
        unlock(&ledger->appending);
    }
    if (!id)
        ledger_lose(ledger, LOST_strings_full, 1);
    return id;
}

uint32_t ledger_bytes(struct ledger *ledger, enum section section, const void *bytes, size_t size)
{
    const uint64_t units = (size + 7) / 8;
    uint32_t id = 0;
    void *to;

    if (units == 0 || !lock(&ledger->appending))
        return 0;
    to = room_for(ledger, section, units);
    if (to) {
        memcpy(to, bytes, size);
        id = publish(ledger, section, units);
    }
    unlock(&ledger->appending);
    return id;
}

void ledger_note(struct ledger *ledger, uint64_t ordinal, const char *text)
{
    const struct note_record note = {.time = clock_ns(CLOCK_MONOTONIC),
                                     .ordinal = ordinal,
                                     .text = ledger_string(ledger, text, strlen(text))};

    (void)ledger_append(ledger, SECTION_notes, &note);
}

void ledger_lose(struct ledger *ledger, enum lost_reason reason, uint64_t count)
{
    struct lost_record *lost = ledger_records(ledger, SECTION_lost);

    INVARIANT(reason < ledger_entry(ledger, SECTION_lost)->capacity);
    if (ledger_entry(ledger, SECTION_lost)->taken > 0)
        (void)__atomic_add_fetch(&lost[reason].count, count, __ATOMIC_RELAXED);
}

void ledger_state(struct ledger *ledger, enum ledger_state state)
{
    __atomic_store_n(&ledger->head->state, (uint32_t)state, __ATOMIC_RELEASE);
}
