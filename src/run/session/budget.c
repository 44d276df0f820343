/* budget.c - see budget.h. */
#include "run/session/budget.h"

#include <stdio.h>

#include "base/text.h"
#include "run/output/speech.h"
#include "run/output/finish.h"

/* ---- the warning ---- */

/* Bytes per second of all leaks that are certain to grow. */
static double growth(const struct patients *all)
{
    double sum = 0;

    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].mail)
            sum += all->list[i].round.growth;
    return sum;
}

static void warn(struct budget *budget, struct watch *watch)
{
    const double rate = growth(&watch->patients);
    const double left =
        budget->bytes > watch->resident ? (double)(budget->bytes - watch->resident) : 0;
    char limit[TEXT_SIZE_MAX], speed[TEXT_SIZE_MAX], used[TEXT_SIZE_MAX], sentence[256];

    if (rate <= 0 || left / rate > BUDGET_HORIZON)
        return;
    budget->warned = true;
    (void)snprintf(sentence, sizeof(sentence),
                   "memory will exceed the budget of %s in about %.0f s: %s are resident, and %s per "
                   "second leak",
                   text_size(limit, budget->bytes), left / rate, text_size(used, watch->resident),
                   text_size_signed(speed, rate));
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

/* Describes what is nearly full. False: nothing is. */
static bool nearly_full(const struct budget *budget, const struct watch *watch, char *what,
                        size_t size)
{
    char used[TEXT_SIZE_MAX], limit[TEXT_SIZE_MAX];

    if (nearly(watch->resident, budget->bytes)) {
        (void)snprintf(what, size, "%s of the budget of %s are resident",
                       text_size(used, watch->resident), text_size(limit, budget->bytes));
        return true;
    }
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

static void record(struct budget *budget, struct watch *watch)
{
    char what[160];

    if (!nearly_full(budget, watch, what, sizeof(what)))
        return;
    budget->recorded = true;
    if (watch->dir->fd < 0) {
        speech_say("%s", what);
        return;
    }
    watch_note(watch, "flight recorder: %s", what);
    if (finish_flight(watch->dir->path, what) == EXIT_CLEAN)
        speech_say("%s; the diagnosis so far is in %s/flight.txt", what, watch->dir->path);
}

void budget_pass(struct budget *budget, struct watch *watch)
{
    const uint64_t now = mailbox_clock();

    if (!budget->bytes || now < budget->next)
        return;
    budget->next = now + WATCH_TICK_NS;
    if (!budget->warned && !budget->recorded)
        warn(budget, watch);
    if (!budget->recorded)
        record(budget, watch);
}
