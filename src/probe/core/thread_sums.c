/* thread_sums.c - see thread_sums.h. */
#include "probe/core/thread_sums.h"

#include <string.h>

#include "ledger/writer.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"

#define FEW 16        /* threads that are added up for every scope */
#define GUESS_NS 1000 /* of one thread, before a sum was timed */
#define COPY_TRIES 3

static uint8_t bin_class[BINS_MOST];

/* With more than FEW threads. */
static uint64_t price;        /* atomic: nanoseconds of the last sum, of the thread that took it */
static uint32_t price_blocks; /* number of threads in that sum; 0: none was timed */
static uint64_t last;         /* atomic: when it was taken */
static bool put_off;          /* atomic: since then a sum was put off */
static struct thread_sums kept[2]; /* the latest is kept[kept_number % 2], once that is above 0 */
static uint64_t kept_number;       /* atomic */
static uint8_t keeping;            /* atomic */

static struct thread_sums at_fork;

void thread_sums_setup(void)
{
    for (unsigned i = 2; i < BINS_MOST; i++)
        bin_class[i] = (uint8_t)ledger_class(thread_bin_usable(i));
}

/* ---- adding up ---- */

static void add_dead_bins(struct thread_sums *out, const struct thread *thread)
{
    for (unsigned i = 2; i < thread->bin_count; i++) {
        const uint64_t blocks = __atomic_load_n(&thread->bins[i].dead, __ATOMIC_RELAXED);
        struct class_total *total = &out->classes[bin_class[i]];

        total->dead_blocks += blocks;
        total->dead_bytes += blocks * thread_bin_usable(i);
    }
}

static void add_born_bins(struct thread_sums *out, const struct thread *thread)
{
    for (unsigned i = 2; i < thread->bin_count; i++) {
        const uint64_t blocks = __atomic_load_n(&thread->bins[i].born, __ATOMIC_RELAXED);
        struct class_total *total = &out->classes[bin_class[i]];

        total->born_blocks += blocks;
        total->born_bytes += blocks * thread_bin_usable(i);
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

static void add_all_dead(struct thread_sums *out, uint32_t known)
{
    for (uint32_t i = 0; i < known; i++) {
        const struct thread *thread = thread_block(i);

        if (thread) {
            add_dead(out, thread->classes);
            add_dead_bins(out, thread);
        }
    }
    add_dead(out, thread_late());
}

static void add_all_born(struct thread_sums *out, uint32_t known)
{
    for (uint32_t i = 0; i < known; i++) {
        const struct thread *thread = thread_block(i);

        if (thread) {
            add_born(out, thread->classes);
            add_born_bins(out, thread);
        }
    }
    add_born(out, thread_late());
    add_born(out, thread_inherited());
}

/* Only the bytes, of every class. */
static uint64_t dead_in(const struct class_total *classes)
{
    uint64_t bytes = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        bytes += __atomic_load_n(&classes[c].dead_bytes, __ATOMIC_RELAXED);
    return bytes;
}

static uint64_t born_in(const struct class_total *classes)
{
    uint64_t bytes = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        bytes += __atomic_load_n(&classes[c].born_bytes, __ATOMIC_RELAXED);
    return bytes;
}

static uint64_t dead_bytes(uint32_t known)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < known; i++) {
        const struct thread *thread = thread_block(i);

        bytes += thread ? dead_in(thread->classes) : 0;
        for (unsigned b = 2; thread && b < thread->bin_count; b++)
            bytes += __atomic_load_n(&thread->bins[b].dead, __ATOMIC_RELAXED) * thread_bin_usable(b);
    }
    return bytes + dead_in(thread_late());
}

static uint64_t born_bytes(uint32_t known)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < known; i++) {
        const struct thread *thread = thread_block(i);

        bytes += thread ? born_in(thread->classes) : 0;
        for (unsigned b = 2; thread && b < thread->bin_count; b++)
            bytes += __atomic_load_n(&thread->bins[b].born, __ATOMIC_RELAXED) * thread_bin_usable(b);
    }
    return bytes + born_in(thread_late()) + born_in(thread_inherited());
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

/* All frees, all allocations, and the frees again: the difference between the two sums of frees
 * is the slack. */
static void sum_once(struct thread_sums *out)
{
    const uint32_t known = thread_blocks();
    uint64_t before = 0;

    memset(out, 0, sizeof(*out));
    add_all_dead(out, known);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    add_all_born(out, known);
    finish(out);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (known > 1) {
        for (unsigned c = 0; c < LEDGER_CLASSES; c++)
            before += out->classes[c].dead_bytes;
        out->slack = dead_bytes(known) - before;
    }
}

/* Other threads keep running, and this one may be descheduled in between: take the best of
 * three. */
static __attribute__((noinline)) void sum_again(struct thread_sums *out)
{
    struct thread_sums again;

    for (int tries = 0; tries < 2 && out->slack > 4096 + out->live_bytes / 64; tries++) {
        sum_once(&again);
        if (again.slack < out->slack)
            *out = again;
    }
}

/* ---- many threads ---- */

static void keep(const struct thread_sums *sums)
{
    uint64_t next;

    if (__atomic_test_and_set(&keeping, __ATOMIC_ACQUIRE))
        return; /* another thread has one as new as this */
    next = __atomic_load_n(&kept_number, __ATOMIC_RELAXED) + 1;
    kept[next % 2] = *sums;
    __atomic_store_n(&kept_number, next, __ATOMIC_RELEASE); /* acquired by copy_kept */
    __atomic_clear(&keeping, __ATOMIC_RELEASE);
}

/* False: there is none, or it was being replaced all the time. */
static bool copy_kept(struct thread_sums *out)
{
    for (int tries = 0; tries < COPY_TRIES; tries++) {
        const uint64_t number = __atomic_load_n(&kept_number, __ATOMIC_ACQUIRE);

        if (number == 0)
            return false;
        *out = kept[number % 2];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&kept_number, __ATOMIC_RELAXED) == number)
            return true;
    }
    return false;
}

/* Timed, and kept for those who come before the next is due. */
static void sum_many(struct thread_sums *out, uint32_t blocks)
{
    const uint64_t began = raw_worked();

    sum_once(out);
    if (blocks <= THREADS_ROOMY)
        sum_again(out);
    __atomic_store_n(&price, raw_worked() - began, __ATOMIC_RELAXED);
    __atomic_store_n(&price_blocks, blocks, __ATOMIC_RELAXED);
    __atomic_store_n(&last, raw_now(), __ATOMIC_RELAXED);
    __atomic_store_n(&put_off, false, __ATOMIC_RELAXED);
    keep(out);
}

void thread_sum(struct thread_sums *out)
{
    const uint32_t blocks = thread_blocks();

    if (blocks > FEW) {
        sum_many(out, blocks);
        return;
    }
    sum_once(out);
    sum_again(out);
}

static uint64_t price_of(uint32_t blocks)
{
    const uint32_t then = __atomic_load_n(&price_blocks, __ATOMIC_RELAXED);

    return then ? __atomic_load_n(&price, __ATOMIC_RELAXED) * blocks / then
                : (uint64_t)blocks * GUESS_NS;
}

static bool is_due(uint64_t now, uint32_t blocks)
{
    uint64_t before = __atomic_load_n(&last, __ATOMIC_RELAXED);

    if ((before == 0 || (now > before && now - before >= price_of(blocks) * SUMS_SHARE)) &&
        __atomic_compare_exchange_n(&last, &before, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return true;
    if (!__atomic_exchange_n(&put_off, true, __ATOMIC_RELAXED))
        state_lose(LOST_sums_put_off, 1);
    return false;
}

bool thread_sum_due(uint64_t now)
{
    const uint32_t blocks = thread_blocks();

    return blocks <= THREADS_ROOMY || is_due(now, blocks);
}

void thread_sum_lately(struct thread_sums *out)
{
    if (thread_sum_due(raw_now()) || !copy_kept(out))
        thread_sum(out);
}

static __attribute__((noinline)) uint64_t live_of_many(void)
{
    struct thread_sums sums;

    thread_sum(&sums);
    return sums.live_bytes;
}

uint64_t thread_live_lately(void)
{
    const uint32_t blocks = thread_blocks();
    const uint64_t number = __atomic_load_n(&kept_number, __ATOMIC_ACQUIRE);

    if (blocks <= FEW) {
        const uint64_t dead = dead_bytes(blocks);
        uint64_t born;

        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        born = born_bytes(blocks);
        return born > dead ? born - dead : 0;
    }
    return number == 0 || is_due(raw_now(), blocks)
               ? live_of_many()
               : __atomic_load_n(&kept[number % 2].live_bytes, __ATOMIC_RELAXED);
}

/* ---- fork ---- */

void thread_before_fork(void)
{
    thread_sum_lately(&at_fork);
}

const struct thread_sums *thread_sums_at_fork(void)
{
    return &at_fork;
}

void thread_sums_forked(void)
{
    price = last = kept_number = 0;
    price_blocks = 0;
    put_off = false;
    keeping = 0;
}
