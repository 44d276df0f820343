/* holders.c - see holders.h; the order of things follows docs/holders.md. */
#include "probe/holders.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/quiet.h"
#include "probe/module_place.h"
#include "probe/modules.h"
#include "probe/next.h"
#include "probe/own.h"
#include "probe/raw.h"
#include "probe/regions.h"
#include "probe/search.h"
#include "probe/step.h"
#include "probe/thread.h"

#define SEARCH_SECONDS 5
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
    uint32_t id;

    if (number == 0 || number > ledger_entry(ledger, SECTION_sites)->used)
        return false;
    site->count = 0;
    site->maps = (records[number - 1].key & 0xff) != SITE_HEAP;
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

static bool prepare(struct ledger *ledger, const uint64_t sites[4])
{
    if (!task)
        task = raw_map_shared(sizeof(*task));
    if (!task)
        return false;
    task->site_count = 0;
    for (unsigned i = 0; i < SEARCH_SITES; i++)
        if (prepare_site(ledger, &task->sites[task->site_count], (uint32_t)sites[i]))
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
    const struct rlimit no_core = {1, 1};
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
    (void)syscall(SYS_close_range, 0u, ~0u, 0u);
    write_file("/proc/self/oom_score_adj", "1000");
    (void)setpriority(PRIO_PROCESS, 0, 10);
}

static void copy_main(void)
{
    uint32_t state;

    become_expendable();
    state = search_run(task) ? HOLDER_DONE : HOLDER_FAILED;
    for (unsigned i = 0; i < task->site_count; i++)
        __atomic_store_n(&task->sites[i].answer->state, state, __ATOMIC_RELEASE);
    for (;;)
        (void)syscall(SYS_exit_group, 0);
}

static void fail_all(void)
{
    for (unsigned i = 0; i < task->site_count; i++)
        __atomic_store_n(&task->sites[i].answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
}

bool holders_begin(struct ledger *ledger, const uint64_t sites[4], uint64_t *pause_ns)
{
    const uint64_t begin = raw_now();
    uint64_t all = ~0ull, before;
    long child;

    *pause_ns = 0;
    if (copy || !next.header || !prepare(ledger, sites))
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

enum holders_progress holders_poll(struct ledger *ledger)
{
    long ended;

    (void)ledger;
    if (!copy)
        return HOLDERS_IDLE;
    ended = syscall(SYS_wait4, copy, NULL, WNOHANG | __WALL, NULL);
    if (ended == 0)
        return HOLDERS_BUSY;
    copy = 0;
    for (unsigned i = 0; i < task->site_count; i++) {
        struct holder_record *answer = task->sites[i].answer;

        if (__atomic_load_n(&answer->state, __ATOMIC_ACQUIRE) == HOLDER_DONE)
            name_root(answer);
        else
            __atomic_store_n(&answer->state, HOLDER_FAILED, __ATOMIC_RELEASE);
    }
    return HOLDERS_FINISHED;
}

void holders_reset(void)
{
    copy = 0;
    task = NULL; /* the parent's: shared with it, so not ours to use */
}
