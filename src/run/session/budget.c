/* budget.c - see budget.h. */
#include "run/session/budget.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "doctor/ask/peek.h"
#include "run/output/speech.h"
#include "run/output/finish.h"

/* ---- the memory of devices ---- */

/* The devices of a process, from its ledger in the run's directory. */
static struct peek_devices devices_of(const struct watch *watch, const char *ledger)
{
    const int fd = watch->dir->fd >= 0 ? peek_open(watch->dir->fd, ledger) : -1;
    struct peek_devices devices = {0};
    struct ledger_header head;

    if (fd >= 0 && peek_head(fd, &head))
        devices = peek_devices(fd, &head);
    if (fd >= 0)
        (void)close(fd);
    return devices;
}

/* Bytes that the living processes have taken from devices. */
static uint64_t device_taken(struct budget *budget, const struct watch *watch)
{
    const struct patients *all = &watch->patients;
    uint64_t sum = 0;

    for (size_t i = 0; i < all->count; i++) {
        struct peek_devices devices;
        char name[LEDGER_NAME_MAX];

        if (!all->list[i].mail)
            continue;
        ledger_name(name, (uint32_t)all->list[i].pid, all->list[i].generation, LEDGER_SUFFIX);
        devices = devices_of(watch, name);
        budget->device_seen |= devices.count > 0;
        sum += devices.taken;
    }
    return sum;
}

/* Has any process of the run a device, also one that has ended? */
static bool any_device(const struct watch *watch)
{
    const int fd = watch->dir->fd >= 0 ? openat(watch->dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    bool found = false;

    while (folder && !found && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, LEDGER_RUN_NAME) != 0 && strstr(entry->d_name, LEDGER_SUFFIX))
            found = devices_of(watch, entry->d_name).count > 0;
    if (folder)
        (void)closedir(folder);
    else if (fd >= 0)
        (void)close(fd);
    return found;
}

/* ---- the warning ---- */

/* Bytes per second of all leaks that are certain to grow. */
static double growth(const struct patients *all, bool device)
{
    double sum = 0;

    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].mail)
            sum += device ? all->list[i].round.device_growth : all->list[i].round.growth;
    return sum;
}

static void warn(struct budget_part *part, struct watch *watch, bool device, uint64_t used)
{
    const double rate = growth(&watch->patients, device);
    const double left = part->bytes > used ? (double)(part->bytes - used) : 0;
    char limit[TEXT_SIZE_MAX], speed[TEXT_SIZE_MAX], now[TEXT_SIZE_MAX], sentence[256];

    if (rate <= 0 || left / rate > BUDGET_HORIZON)
        return;
    part->warned = true;
    (void)snprintf(sentence, sizeof(sentence),
                   "%s will exceed the budget of %s in about %.0f s: %s are %s, and %s per second leak",
                   device ? "device memory" : "memory", text_size(limit, part->bytes), left / rate,
                   text_size(now, used), device ? "taken" : "resident", text_size_signed(speed, rate));
    speech_say("%s", sentence);
    watch_note(watch, "%s", sentence);
}

/* ---- the flight recorder ---- */

static bool nearly(uint64_t used, uint64_t limit)
{
    return limit > 0 && (double)used >= BUDGET_NEARLY * (double)limit;
}

static bool cgroup_nearly(uint64_t used, uint64_t limit)
{
    const uint64_t room = limit / 2 < BUDGET_ROOM ? limit / 2 : BUDGET_ROOM;

    return nearly(used, limit) || used + room >= limit;
}

/* Describes the cgroup's limit that is nearly reached. False: none is. */
static bool cgroup_nearly_full(const struct watch *watch, char *what, size_t size)
{
    char used[TEXT_SIZE_MAX], limit[TEXT_SIZE_MAX];

    for (size_t i = 0; i < watch->cgroup.limit_count; i++) {
        const struct cgroup_limit *one = &watch->cgroup.limits[i];
        const uint64_t taken = cgroup_used(&watch->cgroup, one->path);

        if (cgroup_nearly(taken, one->bytes)) {
            (void)snprintf(what, size, "%s of the cgroup's limit of %s are used",
                           text_size(used, taken), text_size(limit, one->bytes));
            return true;
        }
    }
    return false;
}

/* Describes what is nearly full. False: nothing is. */
static bool nearly_full(const struct budget_part *part, const struct watch *watch, bool device, uint64_t used,
                        char *what, size_t size)
{
    char now[TEXT_SIZE_MAX], limit[TEXT_SIZE_MAX];

    if (nearly(used, part->bytes)) {
        (void)snprintf(what, size, "%s of the budget of %s %s", text_size(now, used),
                       text_size(limit, part->bytes), device ? "of device memory are taken" : "are resident");
        return true;
    }
    return !device && cgroup_nearly_full(watch, what, size);
}

static void record(struct budget_part *part, struct watch *watch, bool device, uint64_t used)
{
    char what[160];

    if (!nearly_full(part, watch, device, used, what, sizeof(what)))
        return;
    part->recorded = true;
    if (watch->dir->fd < 0) {
        speech_say("%s", what);
        return;
    }
    watch_note(watch, "flight recorder: %s", what);
    if (finish_flight(watch->dir->path, what) == EXIT_CLEAN)
        speech_say("%s; the diagnosis so far is in %s/flight.txt", what, watch->dir->path);
}

static void check(struct budget_part *part, struct watch *watch, bool device, uint64_t used)
{
    if (!part->warned && !part->recorded)
        warn(part, watch, device, used);
    if (!part->recorded)
        record(part, watch, device, used);
}

void budget_pass(struct budget *budget, struct watch *watch)
{
    const uint64_t now = mailbox_clock();

    if ((!budget->host.bytes && !budget->device.bytes) || now < budget->next)
        return;
    budget->next = now + WATCH_TICK_NS;
    if (budget->host.bytes)
        check(&budget->host, watch, false, watch->resident);
    if (budget->device.bytes)
        check(&budget->device, watch, true, device_taken(budget, watch));
}

void budget_end(struct budget *budget, struct watch *watch)
{
    char limit[TEXT_SIZE_MAX];

    if (budget->device.bytes && !budget->device_seen && !any_device(watch))
        watch_note(watch, "no device memory was measured, so the budget of %s of it was not checked",
                   text_size(limit, budget->device.bytes));
}
