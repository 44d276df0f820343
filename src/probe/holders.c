/* holders.c - see holders.h; the order of things follows docs/holders.md. */
#include "probe/holders.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/quiet.h"
#include "ledger/mailbox.h"
#include "probe/module_place.h"
#include "probe/modules.h"
#include "probe/next.h"
#include "probe/own.h"
#include "probe/python_view.h"
#include "probe/raw.h"
#include "probe/regions.h"
#include "probe/search.h"
#include "probe/step.h"
#include "probe/thread.h"

#define SEARCH_CPU_SECONDS 5 /* what it may take; a copy that waits for others is not to blame, … */
#define SEARCH_SECONDS 30    /* … but one that hangs must end */
#define NICE 5 /* with more, a busy machine would let it starve */
#define MAIN_FRAME (64 * 1024) /* bytes below main's caller that are read for what main held */

static struct search_task *task; /* shared pages, made at the first search */
static uintptr_t main_below;     /* main has returned; its frame is above this. 0: it runs */
static uintptr_t our_stack, our_stack_end; /* what we work on then */
static pid_t copy;               /* 0: none is at work */

void holders_main_returned(uintptr_t frame, const void *stack, size_t size)
{
    main_below = frame - MAIN_FRAME;
    our_stack = (uintptr_t)stack;
    our_stack_end = our_stack + size;
}

/* ---- preparing ---- */

static void add_target(struct search_site *site, uint64_t start, uint64_t end)
{
    if (site->count < SEARCH_TARGETS)
        site->targets[site->count++] = (struct search_target){start, end};
}

static void heap_targets(struct ledger *ledger, struct search_site *site, uint32_t number)
{
    const uint64_t used = __atomic_load_n(&ledger_entry(ledger, SECTION_live)->used, __ATOMIC_ACQUIRE);
    const struct live_key *keys = ledger_records(ledger, SECTION_live);
    const struct block_record *blocks = ledger_records(ledger, SECTION_blocks);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t address = __atomic_load_n(&keys[i].address, __ATOMIC_ACQUIRE);

        if (address > 1 && blocks[i].site == number)
            add_target(site, address, address + blocks[i].size);
    }
}

static void map_targets(struct ledger *ledger, struct search_site *site, uint32_t number)
{
    const uint64_t used = __atomic_load_n(&ledger_entry(ledger, SECTION_maps)->used, __ATOMIC_ACQUIRE);
    const struct map_record *maps = ledger_records(ledger, SECTION_maps);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t start = __atomic_load_n(&maps[i].start, __ATOMIC_ACQUIRE);

        if (start && maps[i].site == number)
            add_target(site, start, start + maps[i].length);
    }
}

/* The site's answer begins as "searching": if the copy dies, that is what stays. */
static bool prepare_site(struct ledger *ledger, struct search_site *site, uint32_t number)
{
    const struct holder_record first = {.time = raw_now(),
                                        .ordinal = step_ordinal(),
                                        .site = number,
                                        .state = HOLDER_SEARCHING};
    const struct site_record *records = ledger_records(ledger, SECTION_sites);
    struct holder_record *answers;
    uint64_t kind;
    uint32_t id;

    if (number == 0 || number > ledger_entry(ledger, SECTION_sites)->used)
        return false;
    site->count = 0;
    site->owner_count = 0;
    site->array.kind = 0;
    site->taken = false;
    kind = records[number - 1].key & 0xff;
    site->maps = kind != SITE_HEAP && kind != SITE_OBJECT;
    if (site->maps)
        map_targets(ledger, site, number);
    else
        heap_targets(ledger, site, number);
    id = site->count ? ledger_append(ledger, SECTION_holders, &first) : 0;
    answers = ledger_records(ledger, SECTION_holders);
    site->answer = id ? &answers[id - 1] : NULL;
    return id != 0;
}

/* What a fork wipes is gone in the copy, so the probe's own pages are counted here. */
static void prepare_account(struct ledger *ledger)
{
    const struct resident_record first = {.time = raw_now(),
                                          .ordinal = step_ordinal(),
                                          .state = HOLDER_SEARCHING,
                                          .probe = own_resident(),
                                          .ledger = regions_resident((uintptr_t)ledger->head,
                                                                     (uintptr_t)ledger->head +
                                                                         ledger->size)};
    const uint32_t id = ledger_append(ledger, SECTION_residents, &first);
    struct resident_record *records = ledger_records(ledger, SECTION_residents);

    regions_close();
    task->account = id ? &records[id - 1] : NULL;
}

_Static_assert(SEARCH_SITES == MAILBOX_SITES, "whatever is asked has its place");

static bool prepare(struct ledger *ledger, const uint64_t argument[4])
{
    if (!task)
        task = raw_map_shared(sizeof(*task));
    if (!task)
        return false;
    task->site_count = 0;
    task->ledger = ledger;
    task->python = python_view_now();
    task->awaited = ledger->head->state == STATE_LAST_ROUND;
    for (unsigned i = 0; i < SEARCH_SITES; i++)
        if (prepare_site(ledger, &task->sites[task->site_count], mailbox_site(argument, i)))
            task->site_count++;
    task->stack_count = thread_stack_tops(task->stack_tops, SEARCH_STACKS);
    task->own_stack_low = main_below ? main_below : (uintptr_t)__builtin_frame_address(0);
    task->skip_start = our_stack;
    task->skip_end = our_stack_end;
    prepare_account(ledger);
    return task->site_count > 0 || task->account;
}

/* ---- the copy ---- */

static void write_file(const char *path, const char *text)
{
    const int fd = quiet_open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);

    if (fd >= 0) {
        (void)syscall(SYS_write, fd, text, strlen(text));
        quiet_close(fd);
    }
}

/* Signals to default, an alarm, no descriptors, no core file, first to be killed. */
static void become_expendable(void)
{
    const struct itimerval alarm_at = {.it_value = {.tv_sec = SEARCH_SECONDS}};
    const struct rlimit no_core = {1, 1}, cpu = {SEARCH_CPU_SECONDS, SEARCH_CPU_SECONDS};
    struct sigaction standard;
    sigset_t only_alarm;

    memset(&standard, 0, sizeof(standard));
    for (int number = 1; number < 65; number++)
        (void)syscall(SYS_rt_sigaction, number, &standard, NULL, 8);
    (void)sigemptyset(&only_alarm);
    (void)sigaddset(&only_alarm, SIGALRM);
    (void)setitimer(ITIMER_REAL, &alarm_at, NULL);
    (void)syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &only_alarm, NULL, 8);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)setrlimit(RLIMIT_CPU, &cpu);
    (void)syscall(SYS_close_range, 0u, ~0u, 0u);
    write_file("/proc/self/oom_score_adj", "1000");
    if (!task->awaited)
        (void)setpriority(PRIO_PROCESS, 0, NICE);
}

static void fail_all(void)
{
    for (unsigned i = 0; i < task->site_count; i++)
        __atomic_store_n(&task->sites[i].answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
}

static void copy_main(void)
{
    become_expendable();
    if (!search_run(task))
        fail_all();
    for (;;)
        (void)syscall(SYS_exit_group, 0);
}

bool holders_begin(struct ledger *ledger, const uint64_t argument[4], uint64_t *pause_ns)
{
    const uint64_t begin = raw_now();
    uint64_t all = ~0ull, before;
    long child;

    *pause_ns = 0;
    if (copy || !next.header || !prepare(ledger, argument))
        return false; /* the search knows glibc's heap alone */
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
    child = syscall(SYS_clone, 0ul, NULL, NULL, NULL, 0ul);
    if (child == 0)
        copy_main();
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
    *pause_ns = raw_now() - begin;
    for (unsigned i = 0; i < task->site_count; i++)
        task->sites[i].answer->pause_ns = *pause_ns;
    if (child < 0) {
        fail_all();
        return false;
    }
    copy = (pid_t)child;
    return true;
}

/* ---- afterwards, in the program ---- */

/* The copy knows addresses; modules are named here, where they are known. */
static void name_root(struct holder_record *answer)
{
    struct module_view view;

    if (answer->root != ROOT_MODULE || !modules_find((uintptr_t)answer->offset, false, &view) ||
        view.number == 0)
        return;
    answer->unit = __atomic_load_n(&modules_faces[view.number].unit, __ATOMIC_ACQUIRE);
    if (answer->unit)
        answer->offset -= modules_faces[view.number].base;
}

static uint32_t string_of(struct ledger *ledger, const char *text)
{
    return text[0] ? ledger_string(ledger, text, strlen(text)) : 0;
}

/* The copy cannot write texts into the ledger: the program would write at the same time. */
static void write_owners(struct ledger *ledger, const struct search_site *site)
{
    const struct holder_record *first = ledger_records(ledger, SECTION_holders);
    const uint32_t count =
        site->owner_count < SEARCH_OWNERS ? site->owner_count : SEARCH_OWNERS;

    for (uint32_t i = 0; i < count; i++) {
        const struct search_owner *owner = &site->owners[i];
        const struct owner_record record = {.holder = (uint32_t)(site->answer - first) + 1,
                                            .position = i,
                                            .kind = owner->kind,
                                            .name = string_of(ledger, owner->name),
                                            .type = string_of(ledger, owner->type),
                                            .file = string_of(ledger, owner->file),
                                            .line = owner->line,
                                            .number = owner->number,
                                            .length = owner->length,
                                            .bound = owner->bound,
                                            .hits = owner->hits,
                                            .misses = owner->misses};

        (void)ledger_append(ledger, SECTION_owners, &record);
    }
}

static void write_array(struct ledger *ledger, const struct search_site *site)
{
    const struct holder_record *first = ledger_records(ledger, SECTION_holders);
    const struct search_array *array = &site->array;
    struct array_record record = {.holder = (uint32_t)(site->answer - first) + 1,
                                  .kind = array->kind,
                                  .dtype = array->dtype,
                                  .dimensions = array->dimensions,
                                  .elements = array->elements,
                                  .bytes = array->bytes};

    memcpy(record.sizes, array->sizes, sizeof(record.sizes));
    if (array->kind)
        (void)ledger_append(ledger, SECTION_arrays, &record);
}

/* An answer is complete before the copy has come to its end. */
static void take_answers(struct ledger *ledger)
{
    for (unsigned i = 0; i < task->site_count; i++) {
        struct search_site *site = &task->sites[i];

        if (site->taken || __atomic_load_n(&site->answer->state, __ATOMIC_ACQUIRE) != HOLDER_DONE)
            continue;
        site->taken = true;
        name_root(site->answer);
        write_owners(ledger, site);
        write_array(ledger, site);
    }
}

/* A search without an answer is known to have been made, and why it has none. */
static void say_failure(struct ledger *ledger, int status)
{
    char text[128];

    if (WIFSIGNALED(status))
        (void)snprintf(text, sizeof(text),
                       "A search for what holds blocks has no answer: its copy of the process was ended by "
                       "signal %d.",
                       WTERMSIG(status));
    else
        (void)snprintf(text, sizeof(text),
                       "A search for what holds blocks has no answer: the heap could not be walked.");
    ledger_note(ledger, step_ordinal(), text);
}

enum holders_progress holders_poll(struct ledger *ledger)
{
    bool failed = false;
    int status = 0;
    long ended;

    if (!copy)
        return HOLDERS_IDLE;
    ended = syscall(SYS_wait4, copy, &status, WNOHANG | __WALL, NULL);
    take_answers(ledger);
    if (ended == 0)
        return HOLDERS_BUSY;
    copy = 0;
    for (unsigned i = 0; i < task->site_count; i++) {
        if (task->sites[i].taken)
            continue;
        __atomic_store_n(&task->sites[i].answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
        failed = true;
    }
    if (failed)
        say_failure(ledger, status);
    return HOLDERS_FINISHED;
}

bool holders_answered(void)
{
    for (unsigned i = 0; copy && i < task->site_count; i++)
        if (!task->sites[i].taken)
            return false;
    return true;
}

void holders_reset(void)
{
    copy = 0;
    task = NULL; /* the parent's: shared with it, so not ours to use */
}
