/* disk.c - see disk.h. */
#include "run/session/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "doctor/run/fold.h"

#define LOOK_EVERY     20000000ull /* nanoseconds between two checks, at least */
#define LOOK_SHARE     50          /* checks take at most 1/50 of the time */
#define FOLD_NS        20000000ull /* nanoseconds of folding in one pass; other processes wait */
#define REMOVING_MOST  64          /* ledgers in removal at once; the end of the run waits for them */
#define FOLD_SHARE     4           /* while there is something to fold, it takes at most 1/4 of the time */
#define EIGHTHS_FOLD   4
#define EIGHTHS_ENOUGH 3
#define EIGHTHS_SMALL  6
#define EIGHTHS_NONE   7

struct look {
    struct disk_ledger *ended; /* owned: ledgers that may be folded */
    size_t count, room;
    size_t removing; /* folded ones that are still there */
    uint64_t used;   /* without those */
};

void disk_init(struct disk *disk, uint64_t budget)
{
    *disk = (struct disk){.budget = budget ? budget : DISK_BUDGET};
}

void disk_fini(struct disk *disk)
{
    remover_end(&disk->remover);
    mem_free(disk->done);
    *disk = (struct disk){0};
}

/* ---- looking ---- */

/* False: no memory; then the ledger is only kept. */
static bool add(struct disk_ledger **list, size_t *count, size_t *room,
                const struct disk_ledger *ledger)
{
    if (*count == *room) {
        const size_t more = *room ? *room * 2 : 64;
        void *grown = mem_resize(*list, more, sizeof(**list));

        if (!grown)
            return false;
        *list = grown;
        *room = more;
    }
    (*list)[(*count)++] = *ledger;
    return true;
}

/* "PID.GENERATION.tare" and nothing else. */
static bool parse(const char *name, struct disk_ledger *out)
{
    char again[LEDGER_NAME_MAX];

    if (sscanf(name, "%9u.%9u", &out->pid, &out->generation) != 2)
        return false;
    ledger_name(again, out->pid, out->generation, LEDGER_SUFFIX);
    return strcmp(name, again) == 0;
}

/* After exec, the older ledger of the same pid has ended. */
static bool is_over(const struct disk_ledger *ledger, const struct patients *all)
{
    const struct patient *patient = patients_find(all, (pid_t)ledger->pid);

    if (all->count > 0 && all->list[0].pid == (pid_t)ledger->pid)
        return false;
    if (patient)
        return patient->mail && ledger->generation < patient->generation;
    return kill((pid_t)ledger->pid, 0) != 0 && errno == ESRCH;
}

/* The index of the ledger in `done`, or where it would be inserted. */
static size_t place_of(const struct disk *disk, const struct disk_ledger *ledger)
{
    size_t low = 0, high = disk->done_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct disk_ledger *one = &disk->done[middle];

        if (one->pid < ledger->pid ||
            (one->pid == ledger->pid && one->generation < ledger->generation))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct disk_ledger *find_done(const struct disk *disk,
                                           const struct disk_ledger *ledger)
{
    const size_t place = place_of(disk, ledger);
    const struct disk_ledger *one = place < disk->done_count ? &disk->done[place] : NULL;

    return one && one->pid == ledger->pid && one->generation == ledger->generation ? one : NULL;
}

static void add_done(struct disk *disk, const struct disk_ledger *ledger, bool folded)
{
    const size_t place = place_of(disk, ledger);

    if (!add(&disk->done, &disk->done_count, &disk->done_room, ledger))
        return;
    memmove(&disk->done[place + 1], &disk->done[place],
            (disk->done_count - 1 - place) * sizeof(*disk->done));
    disk->done[place] = *ledger;
    disk->done[place].folded = folded;
}

static void look_at(struct look *look, const struct disk *disk, const struct watch *watch,
                    const char *name)
{
    struct disk_ledger ledger = {.folded = false};
    const bool is_ledger = parse(name, &ledger);
    const struct disk_ledger *done = is_ledger ? find_done(disk, &ledger) : NULL;
    struct stat info;

    if (fstatat(watch->dir->fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
        return;
    ledger.bytes = (uint64_t)info.st_blocks * 512;
    if (done && done->folded) {
        look->removing++;
        return;
    }
    look->used += ledger.bytes;
    if (done || !is_ledger || !is_over(&ledger, &watch->patients))
        return;
    ledger.age = (uint64_t)info.st_mtim.tv_sec * 1000000000u + (uint64_t)info.st_mtim.tv_nsec;
    (void)add(&look->ended, &look->count, &look->room, &ledger);
}

static bool look_around(struct look *look, const struct disk *disk, const struct watch *watch)
{
    const int fd = openat(watch->dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    if (!list) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    while ((entry = readdir(list)) != NULL)
        look_at(look, disk, watch, entry->d_name);
    (void)closedir(list);
    return true;
}

/* ---- folding ---- */

static bool has_snapshot(const struct watch *watch, const struct disk_ledger *ledger)
{
    char name[LEDGER_NAME_MAX];

    ledger_name(name, ledger->pid, ledger->generation, SNAPSHOT_SUFFIX);
    return faccessat(watch->dir->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Most of them run the same program, so its name is written once. */
static uint32_t program_id(struct disk *disk, struct ledger *ledger, const char *program)
{
    if (disk->program == 0 || strcmp(disk->program_text, program) != 0) {
        (void)snprintf(disk->program_text, sizeof(disk->program_text), "%s", program);
        disk->program = ledger_string(ledger, program, strlen(program));
    }
    return disk->program;
}

/* Recorded first and then removed: a report in between counts it twice, but does not miss it. */
static bool fold(struct disk *disk, struct watch *watch, const struct disk_ledger *ledger)
{
    char name[LEDGER_NAME_MAX], path[PATH_MAX + LEDGER_NAME_MAX], program[FOLD_TEXT];
    struct folded_record record;

    ledger_name(name, ledger->pid, ledger->generation, LEDGER_SUFFIX);
    (void)snprintf(path, sizeof(path), "%s/%s", watch->dir->path, name);
    if (has_snapshot(watch, ledger) || !fold_examine(path, &record, program))
        return false;
    record.program = program_id(disk, &watch->dir->ledger, program);
    if (!ledger_append(&watch->dir->ledger, SECTION_folded, &record))
        return false;
    return remover_ask(&disk->remover, watch->dir->fd, ledger->pid, ledger->generation);
}

static int by_age(const void *a, const void *b)
{
    const struct disk_ledger *left = a, *right = b;

    return left->age < right->age ? -1 : left->age > right->age;
}

static void fold_some(struct disk *disk, struct watch *watch, const struct look *look)
{
    const uint64_t began = mailbox_clock();
    size_t removing = look->removing;

    if (look->count > 1)
        qsort(look->ended, look->count, sizeof(*look->ended), by_age);
    for (size_t i = 0; i < look->count && disk->used > disk->budget / 8 * EIGHTHS_ENOUGH &&
                       removing < REMOVING_MOST && mailbox_clock() - began < FOLD_NS;
         i++) {
        const bool folded = fold(disk, watch, &look->ended[i]);

        add_done(disk, &look->ended[i], folded);
        if (!folded)
            continue;
        removing++;
        disk->used -= look->ended[i].bytes < disk->used ? look->ended[i].bytes : disk->used;
    }
}

/* ---- the budget ---- */

static enum bell_ledgers allowed(const struct disk *disk)
{
    const uint64_t eighth = disk->budget / 8;

    return disk->used >= eighth * EIGHTHS_NONE    ? LEDGERS_NONE
           : disk->used >= eighth * EIGHTHS_SMALL ? LEDGERS_SMALL
                                                  : LEDGERS_FULL;
}

void disk_pass(struct disk *disk, struct watch *watch)
{
    const uint64_t now = mailbox_clock();
    struct look look = {.used = 0};
    uint64_t looked = now, rest;

    if (watch->dir->fd < 0 || !watch->dir->ledger.head || now < disk->next)
        return;
    if (look_around(&look, disk, watch)) {
        looked = mailbox_clock();
        disk->used = look.used;
        if (disk->used > disk->budget / 8 * EIGHTHS_FOLD)
            fold_some(disk, watch, &look);
        __atomic_store_n(&watch->bell->ledgers, (uint32_t)allowed(disk), __ATOMIC_RELAXED);
    }
    mem_free(look.ended);
    rest = (looked - now) * LOOK_SHARE + (mailbox_clock() - looked) * FOLD_SHARE;
    disk->next = now + (rest > LOOK_EVERY ? rest : LOOK_EVERY);
}

uint32_t disk_end(const struct disk *disk, struct watch *watch)
{
    const uint32_t count = __atomic_load_n(&watch->bell->over_budget, __ATOMIC_ACQUIRE);
    char size[TEXT_SIZE_MAX];

    if (count > 0)
        watch_note(watch, "%u processes were not watched: the run's disk budget of %s was used up",
                   count, text_size(size, disk->budget));
    return count;
}
