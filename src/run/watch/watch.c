/* watch.c - see watch.h. */
#include "run/watch/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/output/speech.h"
#include "run/watch/mails.h"
#include "run/system/proc.h"
#include "ledger/levels.h"

#define SECOND 1000000000ull
#define SEARCH_SHARE 200     /* searching /proc takes at most 1/200 of the time */
#define ROLLUP_SHARE 1000    /* smaps_rollup at most 1/1000 of the program's time */
#define ROLLUP_PER_GB 9300000 /* cost of smaps_rollup in nanoseconds (measured with 4 KiB pages) */
#define ORPHANS_NAMED 8

void watch_note(struct watch *watch, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    rundir_note(watch->dir, watch->samples, "%s", text);
}

/* ---- limits ---- */

static uint32_t add_limit(struct watch *watch, enum limit_kind kind, const char *path,
                          uint64_t bytes, uint64_t used)
{
    struct ledger *ledger = &watch->dir->ledger;
    struct limit_record limit = {.kind = kind, .bytes = bytes, .used = used};

    if (!ledger->head)
        return 0;
    if (path)
        limit.path = ledger_string(ledger, path, strlen(path));
    return ledger_append(ledger, SECTION_limits, &limit);
}

static void record_limits(struct watch *watch)
{
    struct rlimit space;
    uint64_t total = 0;
    char text[4096];

    cgroup_find(&watch->cgroup, "");
    for (size_t i = 0; i < watch->cgroup.limit_count; i++) {
        const struct cgroup_limit *limit = &watch->cgroup.limits[i];

        watch->limit_ids[i] = add_limit(watch, LIMIT_CGROUP, limit->path, limit->bytes,
                                        cgroup_used(&watch->cgroup, limit->path));
    }
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        (void)add_limit(watch, LIMIT_ADDRESS_SPACE, NULL, space.rlim_cur, 0);
    if (proc_read("/proc/meminfo", text, sizeof(text)) > 0 &&
        proc_value(text, "MemTotal:", &total)) {
        watch->available = proc_available();
        watch->machine_bytes = total * 1024;
        watch->machine_id = add_limit(watch, LIMIT_MACHINE, NULL, total * 1024,
                                      total * 1024 - watch->available);
    }
}

static void update_limit(struct watch *watch, uint32_t id, uint64_t used)
{
    struct limit_record *limits;

    if (id == 0 || used == 0)
        return;
    limits = ledger_records(&watch->dir->ledger, SECTION_limits);
    __atomic_store_n(&limits[id - 1].used, used, __ATOMIC_RELEASE);
}

#define GPU_AFTER SECOND /* not at the beginning: many programs are short */
#define GPU_PIDS 64

/* Only growth on a device is judged by its memory (forecast.h); here that is not known. */
static void read_device(struct watch *watch, uint64_t now)
{
    const struct patients *all = &watch->patients;
    const size_t count = all->count < GPU_PIDS ? all->count : GPU_PIDS;
    pid_t pids[GPU_PIDS];
    struct gpu_memory memory;

    if (now - watch->started < GPU_AFTER)
        return;
    for (size_t i = 0; i < count; i++)
        pids[i] = all->list[i].pid;
    if (!gpu_read(&watch->gpu, pids, count, &memory))
        return;
    if (watch->gpu_id)
        update_limit(watch, watch->gpu_id, memory.used);
    else
        watch->gpu_id = add_limit(watch, LIMIT_DEVICE, watch->gpu.name, memory.bytes, memory.used);
}

/* Code that takes memory inside the program must know how much is left. */
static void read_limits(struct watch *watch)
{
    uint64_t headroom;

    watch->available = headroom = proc_available();
    if (watch->available)
        update_limit(watch, watch->machine_id, watch->machine_bytes - watch->available);
    for (size_t i = 0; i < watch->cgroup.limit_count; i++) {
        const struct cgroup_limit *limit = &watch->cgroup.limits[i];
        const uint64_t used = cgroup_used(&watch->cgroup, limit->path);
        const uint64_t left = used < limit->bytes ? limit->bytes - used : 1;

        update_limit(watch, watch->limit_ids[i], used);
        if (used && (headroom == 0 || left < headroom))
            headroom = left;
    }
    __atomic_store_n(&watch->bell->headroom, headroom, __ATOMIC_RELAXED);
}

/* ---- OOM ---- */

static uint64_t machine_kills(void)
{
    uint64_t count = 0;
    static char text[1 << 16];

    if (proc_read("/proc/vmstat", text, sizeof(text)) > 0)
        (void)proc_value(text, "oom_kill", &count);
    return count;
}

static void count_kills(struct watch *watch)
{
    watch->counts_kills = cgroup_kills(&watch->cgroup, &watch->kills);
    watch->vm_kills = machine_kills();
}

/* The counter of the cgroup is about us. The counter of the machine may be about any process, so it counts
 * only together with SIGKILL. */
static enum watch_kill killed_by_kernel(const struct watch *watch, int status)
{
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    uint64_t now = 0;
    bool rose = false;

    if (watch->counts_kills && cgroup_kills(&watch->cgroup, &now))
        rose = now > watch->kills;
    if (killed && (rose || machine_kills() > watch->vm_kills))
        return KILL_ROOT;
    return rose ? KILL_SOME : KILL_NONE;
}

static void tell_kill(struct watch *watch, struct process_record *root, enum watch_kill kill)
{
    watch->kill = kill;
    if (kill == KILL_ROOT) {
        watch_note(watch, "the kernel killed the program because memory ran out (OOM)");
        if (root)
            root->flags |= PROCESS_OOM_KILLED;
    } else if (kill == KILL_SOME) {
        watch_note(watch, "the kernel killed a process of this cgroup because memory ran out (OOM)");
    }
}

/* ---- visits ---- */

static bool may_roll_up(const struct watch *watch, const struct patient *patient)
{
    const uint64_t elapsed = mailbox_clock() - watch->started;
    const uint64_t cost = (patient->resident >> 20) * ROLLUP_PER_GB / 1024 + 20000;

    /* The end of the root is the end of the run, so this reading is always taken. */
    return patient == watch->patients.list || watch->rollup_ns + cost <= elapsed / ROLLUP_SHARE;
}

static void roll_up(struct watch *watch, struct patient *patient)
{
    struct account_record account;

    if (!watch->dir->ledger.head || !may_roll_up(watch, patient) ||
        !proc_account(patient->pid, &account))
        return;
    account.generation = patient->generation;
    watch->rollup_ns += account.pause_ns;
    (void)ledger_append(&watch->dir->ledger, SECTION_accounts, &account);
}

static void read_last(struct watch *watch, struct patient *patient)
{
    (void)proc_resident(patient->pid, &patient->resident);
    patient_read_peak(patient);
    roll_up(watch, patient);
}

static bool ledger_path(const struct watch *watch, const struct patient *patient, char *path,
                        size_t room)
{
    char name[LEDGER_NAME_MAX];
    int length;

    ledger_name(name, (uint32_t)patient->pid, patient->generation, LEDGER_SUFFIX);
    length = snprintf(path, room, "%s/%s", watch->dir->path, name);
    return length > 0 && (size_t)length < room;
}

/* Everything that one pass does with one process, including the doctor's requests. */
static void visit(struct watch *watch, struct patient *patient)
{
    const bool observe = watch->bell->observe;
    char ledger[PATH_MAX + LEDGER_NAME_MAX];
    bool before;

    if (!patient->mail || !ledger_path(watch, patient, ledger, sizeof(ledger)))
        return;
    if (!mailbox_round_offered(patient->mail)) {
        before = patient->round.snapshot;
        round_visit(&patient->round, patient->mail, ledger, observe);
        if (patient->round.snapshot && !before && watch->on_snapshot)
            watch->on_snapshot(patient->pid);
        dose_give(&patient->dose, patient->mail, watch->remedy);
        return;
    }
    if (!round_finish(&patient->round, patient->mail, ledger, observe))
        return;
    read_last(watch, patient);
    mailbox_release_round(patient->mail);
}

static void visit_measured(struct watch *watch, struct patient *patient)
{
    const uint64_t looks = patient->round.looks, worked = proc_worked();

    visit(watch, patient);
    if (patient->round.looks == looks)
        return;
    watch->look_ns += proc_worked() - worked;
    watch->looks += patient->round.looks - looks;
}

void watch_last_readings(struct watch *watch)
{
    for (size_t i = 0; i < watch->patients.count; i++)
        read_last(watch, &watch->patients.list[i]);
}

/* ---- readings ---- */

static uint64_t charged(const struct watch *watch)
{
    return watch->cgroup.limit_count ? cgroup_used(&watch->cgroup, watch->cgroup.limits[0].path) : 0;
}

static void sample(struct watch *watch, uint64_t now)
{
    struct sample_record record = {.time = now};
    const struct patients *all = &watch->patients;

    watch->resident = patients_measure(&watch->patients);
    if (all->count == 0 || !watch->dir->ledger.head)
        return;
    watch->samples++;
    record.first = record.last = watch->samples;
    record.root_resident = all->list[0].resident;
    record.resident = record.resident_min = record.resident_max = watch->resident;
    record.processes = all->count;
    record.cgroup_bytes = charged(watch);
    record.available = watch->available;
    (void)levels_append(&watch->dir->ledger, SECTION_samples, SECTION_sample_levels, &record,
                        sample_merge);
    __atomic_store_n(&watch->dir->ledger.head->seen_mono, now, __ATOMIC_RELEASE);
}

static void slow_readings(struct watch *watch, uint64_t now)
{
    read_limits(watch);
    read_device(watch, now);
    for (size_t i = 0; i < watch->patients.count; i++)
        patient_read_peak(&watch->patients.list[i]);
    watch->next_slow = now + SECOND;
}

void watch_pass(struct watch *watch)
{
    const uint64_t now = mailbox_clock();

    __atomic_store_n(&watch->bell->heartbeat, now, __ATOMIC_RELEASE); /* acquired by the probes */
    mails_look(&watch->mails, &watch->patients);
    for (size_t i = 0; i < watch->patients.count; i++)
        visit_measured(watch, &watch->patients.list[i]);
    if (now < watch->next_sample)
        return;
    if (now >= watch->next_search) {
        patients_search(&watch->patients);
        watch->next_search = now + (mailbox_clock() - now) * SEARCH_SHARE;
    }
    sample(watch, now);
    /* Not among the slow readings: a process may end before the next of them. */
    unwatched_examine(&watch->unwatched, &watch->patients, watch->bell, now);
    if (now >= watch->next_slow)
        slow_readings(watch, now);
    watch->next_sample = now + WATCH_TICK_NS;
}

uint64_t watch_until_due(const struct watch *watch)
{
    const uint64_t now = mailbox_clock();

    return watch->next_sample > now ? watch->next_sample - now : 0;
}

/* ---- beginning and end ---- */

void watch_init(struct watch *watch, struct rundir *dir, struct bell *bell)
{
    memset(watch, 0, sizeof(*watch));
    watch->dir = dir;
    watch->bell = bell;
    watch->started = mailbox_clock();
    patients_init(&watch->patients, &dir->ledger, dir->fd >= 0 ? dir->path : "");
    mails_init(&watch->mails, dir->fd, dir->path);
    record_limits(watch);
    count_kills(watch);
    if (dir->ledger.head)
        ledger_state(&dir->ledger, STATE_RUNNING);
}

void watch_fini(struct watch *watch)
{
    gpu_close(&watch->gpu);
    mails_fini(&watch->mails);
    patients_fini(&watch->patients);
}

void watch_root(struct watch *watch, pid_t pid, uint64_t started, const char *untraced)
{
    struct patient *root = patients_add(&watch->patients, pid);

    if (root && root->record)
        root->record->start = started;
    if (root && untraced) { /* "is linked statically": the report's notes name it */
        char reason[256];

        (void)snprintf(reason, sizeof(reason), "it %s", untraced);
        patient_untraced(&watch->patients, root, reason);
    }
    watch->started = started;
}

static void name_orphans(struct watch *watch)
{
    char text[512];
    size_t length = 0, named = 0;

    for (size_t i = 1; i < watch->patients.count; i++) {
        const struct patient *patient = &watch->patients.list[i];

        if (patient->record)
            patient->record->flags |= PROCESS_ORPHAN;
        if (named < ORPHANS_NAMED && length < sizeof(text)) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s (pid %d)",
                                       named ? ", " : "", patient->name, (int)patient->pid);
            named++;
        }
    }
    watch->orphans = watch->patients.count > 1 ? watch->patients.count - 1 : 0;
    if (watch->orphans == 0)
        return;
    (void)snprintf(watch->orphan_names, sizeof(watch->orphan_names), "%s%s", text,
                   watch->orphans > named ? ", …" : "");
}

static void close_root(struct process_record *root, int status)
{
    if (!root)
        return;
    __atomic_store_n(&root->status, (uint32_t)status, __ATOMIC_RELEASE);
    __atomic_store_n(&root->end, mailbox_clock(), __ATOMIC_RELEASE);
}

void watch_keep_effort(const struct watch *watch, uint64_t worked)
{
    const struct ledger *ledger = &watch->dir->ledger;

    if (ledger->head)
        *(struct effort_record *)ledger_records(ledger, SECTION_effort) =
            (struct effort_record){.program_ns = worked,
                                   .tare_ns = proc_worked(),
                                   .look_ns = watch->look_ns,
                                   .looks = watch->looks};
}

void watch_end(struct watch *watch, int status)
{
    struct patients *all = &watch->patients;
    struct process_record *root = all->count ? all->list[0].record : NULL;

    __atomic_store_n(&watch->bell->heartbeat, 0, __ATOMIC_RELEASE); /* no process waits now */
    close_root(root, status);
    mails_look(&watch->mails, all);
    patients_search(all);
    (void)patients_measure(all);
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].mail)
            mailbox_release_round(all->list[i].mail);
    read_limits(watch);
    name_orphans(watch);
    tell_kill(watch, root, killed_by_kernel(watch, status));
    watch->refused = __atomic_load_n(&watch->bell->refused, __ATOMIC_ACQUIRE);
    if (watch->refused)
        watch_note(watch,
                   "no ledger could be made for %u of the processes (is the disk full, or their address "
                   "space small?)",
                   watch->refused);
    unwatched_note(&watch->unwatched, watch->bell, watch->dir, watch->samples);
    if (all->unrecorded)
        watch_note(watch, "%llu processes did not fit the run's ledger",
                   (unsigned long long)all->unrecorded);
    if (watch->dir->ledger.head)
        ledger_state(&watch->dir->ledger, STATE_ENDED);
}
