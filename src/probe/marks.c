/* marks.c - what include/tare/mark.h finds. */
#include <errno.h>
#include <string.h>

#include "ledger/writer.h"
#include "probe/export.h"
#include "probe/life.h"
#include "probe/marks.h"
#include "probe/step.h"
#include "probe/thread.h"
#include "tare/mark.h"

#define NAME_MAX_BYTES 64

struct name {
    char text[NAME_MAX_BYTES];
};

static struct name names[START_scopes]; /* what the ledger's scopes are called, to compare */
static uint32_t name_count;             /* atomic: those below are complete */
static uint8_t naming;                  /* atomic: one new name at a time */

static void mark_step(uint64_t index)
{
    (void)index;
    life_begin();
    step_tick(CLOCK_mark);
}

/* ---- scopes ---- */

static uint32_t known_scope(const char *name, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(names[i].text, name, NAME_MAX_BYTES - 1) == 0)
            return i + 1;
    return 0;
}

static uint32_t new_scope(struct ledger *ledger, const char *name)
{
    struct scope_record *scopes = ledger_records(ledger, SECTION_scopes);
    uint32_t number = 0;

    if (__atomic_test_and_set(&naming, __ATOMIC_ACQUIRE))
        return 0;
    number = known_scope(name, name_count);
    if (!number && name_count < START_scopes) {
        strncpy(names[name_count].text, name, NAME_MAX_BYTES - 1);
        scopes[name_count].name = ledger_string(ledger, name, strlen(names[name_count].text));
        number = name_count + 1;
        __atomic_store_n(&name_count, number, __ATOMIC_RELEASE);
    }
    __atomic_clear(&naming, __ATOMIC_RELEASE);
    return number;
}

static uint32_t scope_of(struct ledger *ledger, const char *name)
{
    uint32_t number = known_scope(name, __atomic_load_n(&name_count, __ATOMIC_ACQUIRE));

    if (!number)
        number = new_scope(ledger, name);
    if (!number)
        ledger_lose(ledger, LOST_scopes_full, 1);
    return number;
}

/* The thread, marked busy, and the ledger; NULL: nothing to do. */
static struct ledger *enter(struct thread **out)
{
    struct thread *thread;
    struct ledger *ledger;

    life_begin();
    thread = thread_self ? thread_self : thread_attach();
    if (!thread || thread->busy)
        return NULL;
    if (thread->alive != THREAD_ALIVE)
        life_new_process(thread, true);
    thread->busy = 1;
    ledger = life_ledger();
    if (!ledger)
        thread->busy = 0;
    *out = thread;
    return ledger;
}

static void mark_scope_begin(const char *name)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter(&thread);
    struct thread_sums sums;
    uint32_t number;

    if (!ledger)
        return;
    thread->depth++;
    if (thread->depth <= SCOPE_DEPTH) {
        struct scope_record *scopes = ledger_records(ledger, SECTION_scopes);

        thread_sum(&sums);
        number = scope_of(ledger, name ? name : "");
        thread->scopes[thread->depth - 1] = (struct scope_frame){
            .scope = number, .live = sums.live_bytes, .allocated = thread_born_bytes(thread)};
        if (number)
            (void)__atomic_add_fetch(&scopes[number - 1].entered, 1, __ATOMIC_RELAXED);
    }
    thread->busy = 0;
    errno = saved;
}

static void close_scope(struct ledger *ledger, const struct thread *thread,
                        const struct scope_frame *frame)
{
    struct scope_record *scope = ledger_records(ledger, SECTION_scopes);
    struct thread_sums sums;

    if (!frame->scope)
        return;
    scope += frame->scope - 1;
    thread_sum(&sums);
    (void)__atomic_add_fetch(&scope->left, 1, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&scope->kept, (int64_t)(sums.live_bytes - frame->live),
                             __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&scope->allocated, thread_born_bytes(thread) - frame->allocated,
                             __ATOMIC_RELAXED);
}

static void mark_scope_end(void)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter(&thread);

    if (!ledger)
        return;
    if (thread->depth > 0) {
        if (thread->depth <= SCOPE_DEPTH)
            close_scope(ledger, thread, &thread->scopes[thread->depth - 1]);
        thread->depth--;
    }
    thread->busy = 0;
    errno = saved;
}

void marks_reset(void)
{
    name_count = 0;
    naming = 0;
    memset(names, 0, sizeof(names));
}

EXPORT extern const struct tare_marks tare_marks_v1;
const struct tare_marks tare_marks_v1 = {
    .step = mark_step, .scope_begin = mark_scope_begin, .scope_end = mark_scope_end};
