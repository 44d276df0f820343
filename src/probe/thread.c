/* thread.c - see thread.h. */
#include "probe/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ledger/writer.h"
#include "probe/life.h"
#include "probe/next.h"
#include "probe/own.h"
#include "probe/rate.h"
#include "probe/raw.h"
#include "probe/sample_pure.h"

#define BLOCK_BYTES ((sizeof(struct thread) + 4095) & ~(size_t)4095)

__thread struct thread *thread_self;
__thread struct thread *thread_fast;
static __thread bool ending; /* its destructor has run: no new block for what is still to come */

static struct thread *all[THREADS_MAX]; /* entries below `count`, each set once */
static uint32_t count;                  /* atomic: blocks ever made */
static uint32_t started, ended;         /* atomic */
static uint8_t bin_class[BINS_COUNT];
static pthread_key_t key;
static bool key_works;
static struct class_total late[LEDGER_CLASSES];      /* atomic: threads without a block */
static struct class_total inherited[LEDGER_CLASSES]; /* alive at the fork, counted as born */

/* A chunk of i * 16 bytes has a header of 8. */
static uint64_t bin_usable(unsigned bin)
{
    return (uint64_t)bin * 16 - 8;
}

static void leave(void *data)
{
    struct thread *thread = data;

    ending = true;
    thread_self = thread_fast = NULL;
    (void)__atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&thread->owned, 0, __ATOMIC_RELEASE); /* acquired by claim */
}

void thread_setup(void)
{
    for (unsigned i = 2; i < BINS_COUNT; i++)
        bin_class[i] = (uint8_t)ledger_class(bin_usable(i));
    key_works = pthread_key_create(&key, leave) == 0;
}

static struct thread *claim(uint32_t index)
{
    struct thread *thread = __atomic_load_n(&all[index], __ATOMIC_ACQUIRE);
    uint32_t nobody = 0;

    if (thread && __atomic_load_n(&thread->owned, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&thread->owned, &nobody, 1, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        return thread;
    return NULL;
}

static struct thread *make(void)
{
    struct thread *thread;
    uint32_t index;

    if (__atomic_load_n(&count, __ATOMIC_ACQUIRE) >= THREADS_MAX)
        return NULL;
    thread = own_map(BLOCK_BYTES);
    if (!thread)
        return NULL;
    index = __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL);
    if (index >= THREADS_MAX) {
        (void)__atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL);
        return NULL; /* the last few threads raced; the pages stay, untouched */
    }
    thread->owned = 1;
    __atomic_store_n(&all[index], thread, __ATOMIC_RELEASE);
    return thread;
}

static struct thread *find_block(void)
{
    const uint32_t known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    const uint32_t gone = __atomic_load_n(&ended, __ATOMIC_RELAXED);
    struct thread *thread = NULL;

    for (uint32_t i = 0; gone > 0 && i < known && i < THREADS_MAX && !thread; i++)
        thread = claim(i);
    return thread ? thread : make();
}

/* What one block of this bin takes off the countdown. */
static int64_t bin_cost(unsigned bin, uint64_t watched)
{
    const bool bites = watched >> ledger_class(bin_usable(bin)) & 1;

    return (int64_t)bin + (bites ? RATE_WATCH_BITE : 0);
}

static void set_costs(struct thread *thread, uint64_t watched)
{
    for (unsigned i = 0; i < BINS_COUNT; i++)
        __atomic_store_n(&thread->bins[i].cost, bin_cost(i, watched), __ATOMIC_RELAXED);
}

void thread_watch(uint64_t classes)
{
    const uint32_t known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < known && i < THREADS_MAX; i++) {
        struct thread *thread = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);

        if (thread && thread->alive == THREAD_ALIVE)
            set_costs(thread, classes);
    }
}

/* The set may change while we copy it: whoever comes last has the newest. */
static void learn_costs(struct thread *thread)
{
    uint64_t watched;

    do {
        watched = __atomic_load_n(&rate_watched, __ATOMIC_ACQUIRE);
        set_costs(thread, watched);
    } while (watched != __atomic_load_n(&rate_watched, __ATOMIC_ACQUIRE));
}

static void begin(struct thread *thread)
{
    struct stack_bounds bounds = {.low = (uintptr_t)__builtin_frame_address(0)};

    (void)stack_bounds_of_thread(&bounds);
    thread->stack_top = bounds.high;
    thread->busy = 0;
    thread->depth = 0;
    thread->random = sample_seed((uint64_t)(uintptr_t)thread ^ (uint64_t)getpid() << 32 ^
                                 raw_now() ^ (uint64_t)syscall(SYS_gettid));
    thread->rate = rate_now();
    thread->countdown = sample_interval(&thread->random, thread->rate);
    thread->alive = THREAD_ALIVE;
    learn_costs(thread);
}

struct thread *thread_attach(void)
{
    struct thread *thread;
    int saved;

    if (ending || life_is_off())
        return NULL;
    saved = errno;
    thread = find_block();
    if (thread) {
        begin(thread);
        thread_self = thread;
        thread_fast = next.header ? thread : NULL;
        (void)__atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
        thread->busy = 1; /* setting the key may allocate */
        if (!key_works || pthread_setspecific(key, thread) != 0)
            life_lose(LOST_threads_full, 1);
        thread->busy = 0;
    } else {
        life_lose(LOST_threads_full, 1);
    }
    errno = saved;
    return thread;
}

void thread_count_late(uint64_t born_bytes, uint64_t dead_bytes, unsigned class_index)
{
    struct class_total *total = &late[class_index];

    if (born_bytes) {
        (void)__atomic_add_fetch(&total->born_bytes, born_bytes, __ATOMIC_RELAXED);
        (void)__atomic_add_fetch(&total->born_blocks, 1, __ATOMIC_RELAXED);
    }
    if (dead_bytes) {
        (void)__atomic_add_fetch(&total->dead_bytes, dead_bytes, __ATOMIC_RELAXED);
        (void)__atomic_add_fetch(&total->dead_blocks, 1, __ATOMIC_RELAXED);
    }
}

/* ---- sums ---- */

static void add_dead_bins(struct thread_sums *out, const struct bin *bins)
{
    for (unsigned i = 2; i < BINS_COUNT; i++) {
        const uint64_t blocks = __atomic_load_n(&bins[i].dead, __ATOMIC_RELAXED);
        struct class_total *total = &out->classes[bin_class[i]];

        total->dead_blocks += blocks;
        total->dead_bytes += blocks * bin_usable(i);
    }
}

static void add_born_bins(struct thread_sums *out, const struct bin *bins)
{
    for (unsigned i = 2; i < BINS_COUNT; i++) {
        const uint64_t blocks = __atomic_load_n(&bins[i].born, __ATOMIC_RELAXED);
        struct class_total *total = &out->classes[bin_class[i]];

        total->born_blocks += blocks;
        total->born_bytes += blocks * bin_usable(i);
    }
}

static void add_dead(struct thread_sums *out, const struct class_total *from)
{
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        out->classes[c].dead_blocks += __atomic_load_n(&from[c].dead_blocks, __ATOMIC_RELAXED);
        out->classes[c].dead_bytes += __atomic_load_n(&from[c].dead_bytes, __ATOMIC_RELAXED);
    }
}

static void add_born(struct thread_sums *out, const struct class_total *from)
{
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        out->classes[c].born_blocks += __atomic_load_n(&from[c].born_blocks, __ATOMIC_RELAXED);
        out->classes[c].born_bytes += __atomic_load_n(&from[c].born_bytes, __ATOMIC_RELAXED);
    }
}

static void finish(struct thread_sums *out)
{
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const struct class_total *t = &out->classes[c];

        out->born_bytes += t->born_bytes;
        out->born_blocks += t->born_blocks;
        out->live_bytes += t->born_bytes > t->dead_bytes ? t->born_bytes - t->dead_bytes : 0;
        out->live_blocks += t->born_blocks > t->dead_blocks ? t->born_blocks - t->dead_blocks : 0;
    }
}

static void add_all_dead(struct thread_sums *out, uint32_t known)
{
    for (uint32_t i = 0; i < known; i++) {
        const struct thread *thread = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);

        if (thread) {
            add_dead(out, thread->classes);
            add_dead_bins(out, thread->bins);
        }
    }
    add_dead(out, late);
}

static void add_all_born(struct thread_sums *out, uint32_t known)
{
    for (uint32_t i = 0; i < known; i++) {
        const struct thread *thread = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);

        if (thread) {
            add_born(out, thread->classes);
            add_born_bins(out, thread->bins);
        }
    }
    add_born(out, late);
    add_born(out, inherited);
}

/* All frees, all allocations, and the frees once more: what was freed meanwhile is the slack. */
static void sum_once(struct thread_sums *out)
{
    const uint32_t ever = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    const uint32_t known = ever < THREADS_MAX ? ever : THREADS_MAX;
    struct thread_sums after;
    uint64_t before = 0, behind = 0;

    memset(out, 0, sizeof(*out));
    add_all_dead(out, known);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    add_all_born(out, known);
    finish(out);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (known > 1) {
        memset(&after, 0, sizeof(after));
        add_all_dead(&after, known);
        for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
            before += out->classes[c].dead_bytes;
            behind += after.classes[c].dead_bytes;
        }
        out->slack = behind - before;
    }
}

/* Other threads go on, and this one may be off the processor in between: the best of three. */
void thread_sum(struct thread_sums *out)
{
    struct thread_sums again;

    sum_once(out);
    for (int tries = 0; tries < 2 && out->slack > 4096 + out->live_bytes / 64; tries++) {
        sum_once(&again);
        if (again.slack < out->slack)
            *out = again;
    }
}

uint64_t thread_born_bytes(const struct thread *thread)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        sum += thread->classes[c].born_bytes;
    for (unsigned i = 2; i < BINS_COUNT; i++)
        sum += thread->bins[i].born * bin_usable(i);
    return sum;
}

struct thread_flow thread_flow(const struct thread *thread)
{
    struct thread_flow flow = {0, 0};

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        flow.born += thread->classes[c].born_bytes;
        flow.dead += thread->classes[c].dead_bytes;
    }
    for (unsigned i = 2; i < BINS_COUNT; i++) {
        flow.born += thread->bins[i].born * bin_usable(i);
        flow.dead += thread->bins[i].dead * bin_usable(i);
    }
    return flow;
}

/* ---- fork ---- */

static struct thread_sums at_fork;

void thread_before_fork(void)
{
    thread_sum(&at_fork);
}

void thread_after_fork(struct thread *self, const struct thread_sums *known, bool raw)
{
    const struct thread_sums *from = raw ? known : &at_fork;

    memset(late, 0, sizeof(late));
    memset(inherited, 0, sizeof(inherited));
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const struct class_total *t = &from->classes[c];

        if (t->born_blocks > t->dead_blocks)
            inherited[c].born_blocks = t->born_blocks - t->dead_blocks;
        if (t->born_bytes > t->dead_bytes)
            inherited[c].born_bytes = t->born_bytes - t->dead_bytes;
    }
    memset(all, 0, (count < THREADS_MAX ? count : THREADS_MAX) * sizeof(all[0]));
    count = self ? 1 : 0;
    started = count;
    ended = 0;
    all[0] = self;
    if (self) {
        begin(self);
        self->owned = 1;
    }
}

uint64_t thread_inherited_bytes(void)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        sum += inherited[c].born_bytes;
    return sum;
}

uint64_t thread_inherited_blocks(void)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        sum += inherited[c].born_blocks;
    return sum;
}

size_t thread_stack_tops(uintptr_t *tops, size_t room)
{
    const uint32_t known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    size_t found = 0;

    for (uint32_t i = 0; i < known && i < THREADS_MAX && found < room; i++) {
        const struct thread *thread = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);

        if (thread && __atomic_load_n(&thread->owned, __ATOMIC_ACQUIRE) && thread->stack_top)
            tops[found++] = thread->stack_top;
    }
    return found;
}

uint32_t thread_started(void)
{
    return __atomic_load_n(&started, __ATOMIC_RELAXED);
}

uint32_t thread_ended(void)
{
    return __atomic_load_n(&ended, __ATOMIC_RELAXED);
}
