/* feed.c - see feed.h. */
#include "live/feed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/ask/peek.h"
#include "ledger/levels.h"
#include "ledger/mailbox.h"

#define RECORDS_AT_ONCE 64
#define PROCESSES_MAX   (16 * 1024) /* records of one section of a run's ledger */

/* ---- processes ---- */

static struct feed_process *known(struct feed *feed, uint32_t pid, uint32_t generation)
{
    for (size_t i = 0; i < feed->process_count; i++)
        if (feed->processes[i].pid == pid && feed->processes[i].generation == generation)
            return &feed->processes[i];
    return NULL;
}

/* "PID.GENERATION.tare" */
static bool parse_name(const char *name, uint32_t *pid, uint32_t *generation)
{
    unsigned first, second;
    char again[64];

    if (sscanf(name, "%9u.%9u", &first, &second) != 2)
        return false;
    (void)snprintf(again, sizeof(again), "%u.%u%s", first, second, LEDGER_SUFFIX);
    *pid = first;
    *generation = second;
    return strcmp(name, again) == 0;
}

static void let_go(struct feed *feed, struct feed_process *process)
{
    (void)close(process->fd);
    process->fd = -1;
    process->live = 0;
    process->devices = (struct peek_devices){0};
    feed->moved++;
}

/* After exec, the older ledger of the same pid has ended. */
static void end_earlier(struct feed *feed, uint32_t pid)
{
    uint32_t latest = 0;

    for (size_t i = 0; i < feed->process_count; i++)
        if (feed->processes[i].pid == pid && feed->processes[i].generation > latest)
            latest = feed->processes[i].generation;
    for (size_t i = 0; i < feed->process_count; i++)
        if (feed->processes[i].pid == pid && feed->processes[i].generation < latest &&
            feed->processes[i].fd >= 0)
            let_go(feed, &feed->processes[i]);
}

static void meet(struct feed *feed, const char *name)
{
    uint32_t pid, generation;
    int fd;

    if (!parse_name(name, &pid, &generation) || known(feed, pid, generation) ||
        feed->process_count == FEED_PROCESSES)
        return;
    fd = peek_open(feed->directory, name);
    if (fd < 0)
        return;
    feed->processes[feed->process_count++] =
        (struct feed_process){.pid = pid, .generation = generation, .fd = fd};
    feed->moved++;
    end_earlier(feed, pid);
}

/* Lists the directory only if an entry was added or removed since the last time. */
static void list(struct feed *feed)
{
    struct stat info;
    const struct dirent *entry;
    DIR *folder;
    int fd;

    if (fstat(feed->directory, &info) != 0 || !S_ISDIR(info.st_mode) ||
        memcmp(&info.st_mtim, &feed->listed, sizeof(feed->listed)) == 0)
        return;
    fd = openat(feed->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    feed->listed = info.st_mtim;
    while ((entry = readdir(folder)) != NULL)
        meet(feed, entry->d_name);
    (void)closedir(folder);
    if (feed->own < 0)
        feed->own = peek_open(feed->directory, LEDGER_RUN_NAME);
}

static void read_totals(struct feed *feed, struct feed_process *process)
{
    struct totals_record totals;
    uint64_t born = 0, dead = 0;

    if (!peek_at(process->fd, process->totals_at, &totals, sizeof(totals)) || totals.sequence % 2)
        return;
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        born += totals.classes[c].born_bytes;
        dead += totals.classes[c].dead_bytes;
    }
    feed->moved += totals.ordinal != process->ordinal;
    process->live = born > dead ? born - dead : 0;
    process->ordinal = totals.ordinal;
    memcpy(process->clock, totals.clock, sizeof(process->clock));
}

static void read_process(struct feed *feed, struct feed_process *process)
{
    struct ledger_header head;

    if (process->fd < 0 || !peek_head(process->fd, &head))
        return; /* ended, not begun yet, or cut short */
    if (process->totals_at == 0)
        process->totals_at = peek_find(&head, SECTION_totals, sizeof(struct totals_record));
    if (process->totals_at > 0)
        read_totals(feed, process);
    process->devices = peek_devices(process->fd, &head);
    if (head.state == STATE_ENDED && feed->own >= 0)
        let_go(feed, process);
}

/* ---- the run's own ledger ---- */

/* The newest of the samples that `tare run` takes ten times a second. */
static void read_sample(struct feed *feed, const struct ledger_header *head)
{
    const uint64_t levels = peek_find(head, SECTION_sample_levels, sizeof(struct level_record));
    const uint64_t samples = peek_find(head, SECTION_samples, sizeof(struct sample_record));
    struct sample_record sample;
    struct level_record level;
    uint64_t at;

    if (!levels || !samples || !peek_at(feed->own, levels, &level, sizeof(level)) ||
        level.tail == 0)
        return;
    at = samples + (level.tail - 1) % LEVELS_FIRST * sizeof(sample);
    if (!peek_at(feed->own, at, &sample, sizeof(sample)))
        return;
    feed->resident = sample.resident;
    feed->running = sample.processes;
}

/* The processes that `tare run` saw end. A pid may be used again, so its last record counts. */
static void note_ends(struct feed *feed, const struct process_record *records, size_t count,
                      bool ended[FEED_PROCESSES])
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < feed->process_count; k++)
            if (feed->processes[k].fd >= 0 && feed->processes[k].pid == records[i].pid)
                ended[k] = records[i].end > 0;
}

static void read_ends(struct feed *feed, const struct ledger_header *head)
{
    const uint64_t at = peek_find(head, SECTION_processes, sizeof(struct process_record));
    const uint64_t used = head->table[SECTION_processes].used;
    struct process_record records[RECORDS_AT_ONCE];
    bool ended[FEED_PROCESSES] = {false};

    for (uint64_t i = 0; at && i < used && i < PROCESSES_MAX; i += RECORDS_AT_ONCE) {
        const uint64_t rest = used - i;
        const size_t count = rest < RECORDS_AT_ONCE ? (size_t)rest : RECORDS_AT_ONCE;

        if (!peek_at(feed->own, at + i * sizeof(records[0]), records, count * sizeof(records[0])))
            break;
        note_ends(feed, records, count, ended);
    }
    for (size_t k = 0; k < feed->process_count; k++)
        if (ended[k])
            let_go(feed, &feed->processes[k]);
}

static void read_own(struct feed *feed)
{
    struct ledger_header head;

    if (!peek_head(feed->own, &head))
        return;
    read_sample(feed, &head);
    read_ends(feed, &head);
    if (head.state == STATE_ENDED)
        feed->state = FEED_ENDED;
}

/* The bell has the doctor's pid and the time of its last visit. It is read, not mapped: a process that maps
 * it counts as part of the run (cli/runs.h). */
static void read_bell(struct feed *feed)
{
    struct bell bell;
    const int fd = peek_open(feed->directory, BELL_NAME);
    const bool whole = peek_at(fd, 0, &bell, sizeof(bell)) &&
                       memcmp(bell.magic, BELL_MAGIC, sizeof(bell.magic)) == 0;

    if (fd >= 0)
        (void)close(fd);
    if (!whole)
        return;
    feed->doctor = bell.doctor;
    feed->observe = bell.observe;
    if (bell.heartbeat == 0)
        feed->state = FEED_ENDED;
    else if (feed->state == FEED_RUNNING && !bell_doctor_alive(&bell, mailbox_clock()) &&
             kill((pid_t)bell.doctor, 0) != 0 && errno == ESRCH)
        feed->state = FEED_UNWATCHED;
}

void feed_read(struct feed *feed)
{
    const enum feed_state before = feed->state;

    if (feed->directory < 0)
        return;
    list(feed);
    if (feed->state == FEED_RUNNING) {
        read_own(feed);
        read_bell(feed);
    }
    feed->live = feed->device = 0;
    for (size_t i = 0; i < feed->process_count; i++) {
        read_process(feed, &feed->processes[i]);
        feed->live += feed->processes[i].live;
        feed->device += feed->processes[i].devices.used;
    }
    feed->moved += feed->state != before;
}

/* ---- judgements ---- */

bool feed_judge(struct feed *feed, uint64_t now)
{
    struct digest digest;
    struct why why = {""};
    const int got = judgement_take(&feed->judgement, &digest, now, &why);

    if (got > 0) {
        digest_free(&feed->digest);
        feed->digest = digest;
        feed->judged = true;
    }
    if (got != 0)
        feed->trouble = why;
    if (feed->judged && feed->moved == feed->judged_at &&
        (feed->state == FEED_RUNNING || feed->judged_end))
        return got != 0;
    if (judgement_begin(&feed->judgement, feed->path, now)) {
        feed->judged_at = feed->moved;
        feed->judged_end = feed->state != FEED_RUNNING;
    }
    return got != 0;
}

uint64_t feed_ticks(const struct feed *feed)
{
    const struct digest_process *main = digest_main(&feed->digest);

    for (size_t i = 0; main && i < feed->process_count; i++)
        if (feed->processes[i].pid == main->pid &&
            feed->processes[i].generation == main->generation &&
            feed->processes[i].clock[main->clock] > main->ticks && main->clock != CLOCK_time)
            return feed->processes[i].clock[main->clock];
    return main ? main->ticks : 0;
}

/* ---- beginning and end ---- */

/* The later of the two runs of `--try`. */
static void choose_part(struct feed *feed)
{
    DIR *folder = opendir(feed->path);
    const struct dirent *entry;
    char part[300] = "";

    while (folder && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, LEDGER_RUN_NAME) == 0) {
            part[0] = 0;
            break;
        }
        if (strncmp(entry->d_name, "with-", 5) == 0 ||
            (strcmp(entry->d_name, "plain") == 0 && !part[0]))
            (void)snprintf(part, sizeof(part), "/%s", entry->d_name);
    }
    if (folder)
        (void)closedir(folder);
    if (strlen(feed->path) + strlen(part) < sizeof(feed->path))
        strcat(feed->path, part);
}

static bool holds_run(const struct feed *feed)
{
    return feed->own >= 0 || feed->process_count > 0;
}

int feed_open(struct feed *feed, const char *path, struct why *why)
{
    struct stat info;

    memset(feed, 0, sizeof(*feed));
    feed->directory = feed->own = -1;
    judgement_init(&feed->judgement);
    if (stat(path, &info) != 0)
        return fail(why, ERR_IO, "%s: %s", path, err_words(errno));
    if (!realpath(path, feed->path))
        return fail(why, ERR_IO, "%s: %s", path, err_words(errno));
    if (!S_ISDIR(info.st_mode)) {
        feed->state = FEED_ENDED; /* of one ledger it is not known whether it is still written */
        return 0;
    }
    choose_part(feed);
    feed->directory = open(feed->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (feed->directory < 0)
        return fail(why, ERR_IO, "%s: %s", path, err_words(errno));
    feed_read(feed);
    if (!holds_run(feed)) {
        feed_close(feed);
        return fail(why, ERR_FORMAT, "%s: this directory has no run of tare", path);
    }
    if (feed->own < 0)
        feed->state = FEED_UNWATCHED;
    return 0;
}

void feed_close(struct feed *feed)
{
    judgement_fini(&feed->judgement);
    digest_free(&feed->digest);
    for (size_t i = 0; i < feed->process_count; i++)
        if (feed->processes[i].fd >= 0)
            (void)close(feed->processes[i].fd);
    feed->process_count = 0;
    if (feed->own >= 0)
        (void)close(feed->own);
    if (feed->directory >= 0)
        (void)close(feed->directory);
    feed->own = feed->directory = -1;
}
