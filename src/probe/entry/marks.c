/* marks.c - what include/tare/mark.h finds. */
#include <errno.h>
#include <string.h>

#include "base/invariant.h"
#include "ledger/writer.h"
#include "probe/core/call.h"
#include "probe/core/export.h"
#include "probe/core/spare_stack.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/core/thread_sums.h"
#include "probe/entry/life.h"
#include "probe/entry/marks.h"
#include "probe/record/step.h"
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
    struct ledger *ledger;

    life_begin();
    *out = call_enter();
    if (!*out)
        return NULL;
    ledger = state_ledger();
    if (!ledger)
        (*out)->busy = 0;
    return ledger;
}

/* What a scope is entered or left with. */
struct scope_mark {
    const char *name;
    struct thread *thread;
    struct ledger *ledger;
};

static void open_scope(void *context)
{
    const struct scope_mark *mark = context;
    struct scope_record *scopes = ledger_records(mark->ledger, SECTION_scopes);
    struct thread *thread = mark->thread;
    const uint64_t live = thread_live_lately();
    const uint32_t number = scope_of(mark->ledger, mark->name ? mark->name : "");

    INVARIANT(thread->depth > 0 && thread->depth <= SCOPE_DEPTH);
    thread->scopes[thread->depth - 1] = (struct scope_frame){
        .scope = number, .live = live, .allocated = thread_born_bytes(thread)};
    if (number)
        (void)__atomic_add_fetch(&scopes[number - 1].entered, 1, __ATOMIC_RELAXED);
}

void marks_scope_begin(const char *name)
{
    const int saved = errno;
    struct scope_mark mark = {.name = name};

    mark.ledger = enter(&mark.thread);
    if (!mark.ledger)
        return;
    mark.thread->depth++;
    if (mark.thread->depth <= SCOPE_DEPTH && !spare_stack_call(open_scope, &mark)) {
        mark.thread->scopes[mark.thread->depth - 1].scope = 0;
        ledger_lose(mark.ledger, LOST_stack_small, 1);
    }
    mark.thread->busy = 0;
    errno = saved;
}

static void close_scope(void *context)
{
    const struct scope_mark *mark = context;
    const struct thread *thread = mark->thread;
    const struct scope_frame *frame = &thread->scopes[thread->depth - 1];
    struct scope_record *scope = ledger_records(mark->ledger, SECTION_scopes);

    if (!frame->scope)
        return;
    scope += frame->scope - 1;
    (void)__atomic_add_fetch(&scope->left, 1, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&scope->kept, (int64_t)(thread_live_lately() - frame->live),
                             __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&scope->allocated, thread_born_bytes(thread) - frame->allocated,
                             __ATOMIC_RELAXED);
}

void marks_scope_end(void)
{
    const int saved = errno;
    struct scope_mark mark = {.name = NULL};

    mark.ledger = enter(&mark.thread);
    if (!mark.ledger)
        return;
    if (mark.thread->depth > 0) {
        if (mark.thread->depth <= SCOPE_DEPTH && !spare_stack_call(close_scope, &mark))
            ledger_lose(mark.ledger, LOST_stack_small, 1);
        mark.thread->depth--;
    }
    mark.thread->busy = 0;
    errno = saved;
}

void marks_forked(void)
{
    name_count = 0;
    naming = 0;
    memset(names, 0, sizeof(names));
}

EXPORT extern const struct tare_marks tare_marks_v1;
const struct tare_marks tare_marks_v1 = {
    .step = mark_step, .scope_begin = marks_scope_begin, .scope_end = marks_scope_end};
