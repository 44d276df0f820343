/* thread.c - see thread.h. */
#include "probe/core/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/quiet.h"
#include "ledger/writer.h"
#include "probe/core/brief_lock.h"
#include "probe/core/next.h"
#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/sample_pure.h"
#include "probe/core/stack_bounds.h"
#include "probe/core/state.h"

/* A thread's block: roomy, or a small part of a slab. */
#define FINISH_NS    1000000 /* time between two checks of what other threads do */
#define FINISH_TRIES 20      /* the most such checks */
#define ROOMY_BYTES                                                                                \
    ((offsetof(struct thread, bins) + BINS_MOST * sizeof(struct bin) + 4095) & ~(size_t)4095)
#define SMALL_BYTES 3072
#define SMALL_BINS  ((SMALL_BYTES - offsetof(struct thread, bins)) / sizeof(struct bin))
#define SLAB_BLOCKS 64
#define SLAB_ALIGN  4096 /* the low bits of its address count the blocks in use */
#define SLAB_TRIES  1000 /* for the lock of who makes the next one */

_Static_assert(SMALL_BINS >= 32, "later threads count blocks of up to 500 bytes by their size");
_Static_assert(SLAB_BLOCKS < SLAB_ALIGN, "they fit");

__thread struct thread *thread_self;
__thread struct thread *thread_fast;
static __thread bool ending; /* its destructor has run: no new block for what is still to come */
static __thread bool refused; /* it asked for a block, and there was none */
static __thread uint64_t own_bins; /* bin_count of its block, which a fork wipes */

_Alignas(64) int64_t thread_costs[BINS_MOST];
uint64_t thread_watched;
uint64_t thread_rate;

static struct thread *all[THREADS_MAX]; /* entries below `count`, each set once */
static uint32_t count;                  /* atomic: blocks ever made */
static uint32_t started, ended;         /* atomic */
static uint64_t free_blocks; /* atomic: index + 1 of the first, 0: none; above bit 32 counts changes */
static uintptr_t slab;       /* atomic: address of the latest | blocks of it in use; 0: none yet */
static uint8_t making_slab;  /* atomic */
static pthread_key_t key;
static bool key_works;
static uint64_t process;                             /* its id: part of each seed */
static struct class_total late[LEDGER_CLASSES];      /* atomic: threads without a block */
static struct class_total inherited[LEDGER_CLASSES]; /* alive at the fork, counted as born */

/* ---- blocks without a thread ---- */

/* The count of changes makes an exchange fail when the first block was taken and came back. */
static uint64_t free_head(uint64_t before, uint32_t first)
{
    return ((before >> 32) + 1) << 32 | first;
}

static void give(struct thread *thread)
{
    uint64_t head = __atomic_load_n(&free_blocks, __ATOMIC_RELAXED);

    do
        __atomic_store_n(&thread->next_free, (uint32_t)head, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&free_blocks, &head, free_head(head, thread->index + 1),
                                        true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Acquires what the last owner wrote, released by give. NULL: none. */
static struct thread *take(void)
{
    uint64_t head = __atomic_load_n(&free_blocks, __ATOMIC_ACQUIRE);
    struct thread *thread;
    uint32_t after;

    do {
        if ((uint32_t)head == 0)
            return NULL;
        thread = __atomic_load_n(&all[(uint32_t)head - 1], __ATOMIC_ACQUIRE);
        after = __atomic_load_n(&thread->next_free, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&free_blocks, &head, free_head(head, after), true,
                                          __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return thread;
}

static void leave(void *data)
{
    struct thread *thread = data;

    ending = true;
    thread_self = thread_fast = NULL;
    (void)__atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    if (thread->alive != THREAD_ALIVE)
        return; /* a copy in a new process that has not been noticed yet */
    __atomic_store_n(&thread->owned, 0, __ATOMIC_RELEASE);
    give(thread);
}

void thread_setup(void)
{
    process = (uint64_t)getpid();
    thread_watch(0);
    key_works = pthread_key_create(&key, leave) == 0;
}

/* ---- making one ---- */

/* A block that no thread had before; NULL: the slab is used up. */
static void *part_of_slab(void)
{
    uintptr_t now = __atomic_load_n(&slab, __ATOMIC_ACQUIRE);

    do
        if (now == 0 || now % SLAB_ALIGN == SLAB_BLOCKS)
            return NULL;
    while (!__atomic_compare_exchange_n(&slab, &now, now + 1, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
    return (void *)(now - now % SLAB_ALIGN + now % SLAB_ALIGN * SMALL_BYTES);
}

static void *new_part(void)
{
    void *part = part_of_slab();

    if (part || !brief_lock(&making_slab, SLAB_TRIES))
        return part ? part : own_map(SMALL_BYTES);
    part = part_of_slab(); /* another thread may have made one first */
    if (!part) {
        part = own_map((size_t)SLAB_BLOCKS * SMALL_BYTES);
        if (part)
            __atomic_store_n(&slab, (uintptr_t)part + 1, __ATOMIC_RELEASE);
    }
    brief_unlock(&making_slab);
    return part;
}

static struct thread *make(void)
{
    const uint32_t known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    const bool roomy = known < THREADS_ROOMY;
    struct thread *thread;
    uint32_t index;

    if (known >= THREADS_MAX)
        return NULL;
    thread = roomy ? own_map(ROOMY_BYTES) : new_part();
    if (!thread)
        return NULL;
    index = __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL);
    if (index >= THREADS_MAX) {
        (void)__atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL);
        return NULL; /* the last few threads raced; the pages stay, untouched */
    }
    thread->index = index;
    thread->bin_count = roomy ? BINS_MOST : SMALL_BINS;
    __atomic_store_n(&all[index], thread, __ATOMIC_RELEASE);
    return thread;
}

/* ---- attaching ---- */

/* What one block of this bin takes off the countdown. */
static int64_t bin_cost(unsigned bin, uint64_t watched)
{
    const bool bites = watched >> ledger_class(thread_bin_usable(bin)) & 1;

    return (int64_t)bin + (bites ? THREAD_WATCH_BITE : 0);
}

/* The set may change while we write: the last writer has the newest set. */
void thread_watch(uint64_t classes)
{
    uint64_t written;

    do {
        written = classes;
        for (unsigned i = 2; i < BINS_MOST; i++)
            __atomic_store_n(&thread_costs[i], bin_cost(i, written), __ATOMIC_RELAXED);
        classes = __atomic_load_n(&thread_watched, __ATOMIC_ACQUIRE);
    } while (classes != written);
}

static void begin(struct thread *thread)
{
    struct stack_bounds bounds = {.low = (uintptr_t)__builtin_frame_address(0)};

    (void)stack_bounds_of_thread(&bounds);
    thread->stack_top = bounds.high;
    thread->busy = 0;
    thread->depth = 0;
    thread->random = sample_seed((uint64_t)(uintptr_t)thread ^ process << 32 ^ raw_now() ^
                                 (uint64_t)__atomic_load_n(&started, __ATOMIC_RELAXED) << 48);
    thread->rate = __atomic_load_n(&thread_rate, __ATOMIC_RELAXED);
    thread->countdown = sample_interval(&thread->random, thread->rate);
    INVARIANT(thread->bin_count <= BINS_MOST);
    thread->alive = THREAD_ALIVE;
    __atomic_store_n(&thread->owned, 1, __ATOMIC_RELEASE);
}

/* One that was refused asks again only when another thread has left its block. */
static struct thread *find_block(void)
{
    struct thread *thread = take();

    if (!thread && !refused)
        thread = make();
    return thread;
}

struct thread *thread_attach(void)
{
    struct thread *thread;
    int saved;

    if (ending || state_is_off())
        return NULL;
    saved = errno;
    thread = find_block();
    if (thread) {
        begin(thread);
        own_bins = thread->bin_count;
        thread_self = thread;
        thread_fast = next.header ? thread : NULL;
        (void)__atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
        thread->busy = 1; /* setting the key may allocate */
        if (!key_works || pthread_setspecific(key, thread) != 0)
            state_lose(LOST_threads_full, 1);
        thread->busy = 0;
    } else if (!refused) {
        refused = true;
        state_lose(LOST_threads_full, 1);
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

uint64_t thread_born_bytes(const struct thread *thread)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        sum += thread->classes[c].born_bytes;
    for (unsigned i = 2; i < thread->bin_count; i++)
        sum += thread->bins[i].born * thread_bin_usable(i);
    return sum;
}

struct thread_flow thread_flow(const struct thread *thread)
{
    struct thread_flow flow = {0, 0};

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        flow.born += thread->classes[c].born_bytes;
        flow.dead += thread->classes[c].dead_bytes;
    }
    for (unsigned i = 2; i < thread->bin_count; i++) {
        flow.born += thread->bins[i].born * thread_bin_usable(i);
        flow.dead += thread->bins[i].dead * thread_bin_usable(i);
    }
    return flow;
}

/* ---- fork ---- */

void thread_after_fork(struct thread *self, const struct class_total *known)
{
    memset(late, 0, sizeof(late));
    memset(inherited, 0, sizeof(inherited));
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const struct class_total *t = &known[c];

        if (t->born_blocks > t->dead_blocks)
            inherited[c].born_blocks = t->born_blocks - t->dead_blocks;
        if (t->born_bytes > t->dead_bytes)
            inherited[c].born_bytes = t->born_bytes - t->dead_bytes;
    }
    memset(all, 0, (count < THREADS_MAX ? count : THREADS_MAX) * sizeof(all[0]));
    count = self ? 1 : 0;
    started = count;
    ended = 0;
    free_blocks = 0;
    slab = 0;
    making_slab = 0;
    refused = false;
    process = (uint64_t)getpid();
    thread_watch(__atomic_load_n(&thread_watched, __ATOMIC_ACQUIRE));
    all[0] = self;
    if (self) {
        self->bin_count = own_bins;
        begin(self);
    }
}

uint64_t thread_inherited_bytes(void)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        sum += inherited[c].born_bytes;
    return sum;
}

const struct class_total *thread_late(void)
{
    return late;
}

const struct class_total *thread_inherited(void)
{
    return inherited;
}

uint32_t thread_blocks(void)
{
    const uint32_t ever = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

    return ever < THREADS_MAX ? ever : THREADS_MAX;
}

const struct thread *thread_block(uint32_t index)
{
    return __atomic_load_n(&all[index], __ATOMIC_ACQUIRE);
}

size_t thread_stack_tops(uintptr_t *tops, size_t room)
{
    const uint32_t known = thread_blocks();
    size_t found = 0;

    for (uint32_t i = 0; i < known && found < room; i++) {
        const struct thread *thread = thread_block(i);

        if (thread && __atomic_load_n(&thread->owned, __ATOMIC_ACQUIRE) && thread->stack_top)
            tops[found++] = thread->stack_top;
    }
    return found;
}

static bool others_work(void)
{
    const uint32_t known = thread_blocks();

    for (uint32_t i = 0; i < known; i++) {
        const struct thread *thread = thread_block(i);

        if (thread && thread != thread_self && __atomic_load_n(&thread->owned, __ATOMIC_ACQUIRE) &&
            __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE))
            return true;
    }
    return false;
}

void thread_let_others_finish(void)
{
    for (int i = 0; i < FINISH_TRIES && others_work(); i++)
        quiet_sleep(FINISH_NS);
}

uint32_t thread_started(void)
{
    return __atomic_load_n(&started, __ATOMIC_RELAXED);
}

uint32_t thread_ended(void)
{
    return __atomic_load_n(&ended, __ATOMIC_RELAXED);
}
