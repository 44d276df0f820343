/* until.c - see until.h. */
#include "run/session/until.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/text.h"

#define SECOND 1000000000ull

void until_init(struct until *until, bool wanted)
{
    *until = (struct until){.state = wanted ? UNTIL_WATCHING : UNTIL_OFF};
}

/* ---- is the verdict there? ---- */

static bool settled(const struct patient *patient, uint64_t now)
{
    const uint64_t since = patient->round.settled_since;

    return since && now - since >= UNTIL_HOLD_NS;
}

static bool calm_for(const struct patient *patient, uint64_t now, uint64_t span)
{
    const uint64_t since = patient->round.calm_since;

    return since && now - since >= span;
}

/* For short-lived helpers it is enough that they are not suspect now. */
static bool harmless(const struct patient *patient, uint64_t now, uint64_t span)
{
    return now - patient->found < span ? patient->round.state == ROUND_WATCH
                                       : calm_for(patient, now, span);
}

/* Sets the reason and returns true if the doctor has nothing more to learn. */
static bool decided(struct until *until, const struct patients *all, uint64_t now)
{
    size_t leaks = 0;
    uint64_t steps = 0;
    char count[TEXT_SIZE_MAX];

    for (size_t i = 0; i < all->count; i++) {
        const struct patient *patient = &all->list[i];

        leaks += patient->mail && settled(patient, now);
        if (patient->mail && calm_for(patient, now, UNTIL_CALM_NS) && patient->round.steps > steps)
            steps = patient->round.steps;
    }
    if (leaks == 0 && steps < UNTIL_CALM_STEPS)
        return false;
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].mail && !settled(&all->list[i], now) &&
            !harmless(&all->list[i], now, leaks ? UNTIL_HOLD_NS : UNTIL_CALM_NS))
            return false;
    if (leaks)
        (void)snprintf(until->reason, sizeof(until->reason),
                       "every finding is settled and nothing else grows");
    else
        (void)snprintf(until->reason, sizeof(until->reason),
                       "nothing grew for %llu s, after %s steps", UNTIL_CALM_NS / SECOND,
                       text_count(count, steps));
    return true;
}

/* ---- ending it ---- */

static bool all_answered(struct watch *watch)
{
    bool answered = true;

    for (size_t i = 0; i < watch->patients.count; i++) {
        struct patient *patient = &watch->patients.list[i];

        if (patient->mail && !round_wrap_up(&patient->round, patient->mail, watch->bell->observe))
            answered = false;
    }
    return answered;
}

static void ask_to_end(struct until *until, struct watch *watch, pid_t root, uint64_t now)
{
    watch_last_readings(watch);
    watch_note(watch, "tare ended the program after %.1f s (--until-verdict): %s",
               (double)(now - watch->started) / (double)SECOND, until->reason);
    (void)kill(root, SIGTERM);
    until->state = UNTIL_ASKED;
    until->deadline = now + UNTIL_GRACE_NS;
}

void until_pass(struct until *until, struct watch *watch, pid_t root)
{
    const uint64_t now = mailbox_clock();

    switch (until->state) {
    case UNTIL_OFF:
    case UNTIL_KILLED:
        break;
    case UNTIL_WATCHING:
        if (decided(until, &watch->patients, now)) {
            until->state = UNTIL_CLOSING;
            until->deadline = now + LAST_ROUND_NS;
        }
        break;
    case UNTIL_CLOSING:
        if (all_answered(watch) || now >= until->deadline)
            ask_to_end(until, watch, root, now);
        break;
    case UNTIL_ASKED:
        if (now < until->deadline)
            break;
        watch_note(watch, "the program did not end within %llu s of SIGTERM and was killed",
                   UNTIL_GRACE_NS / SECOND);
        (void)kill(root, SIGKILL);
        until->state = UNTIL_KILLED;
        break;
    }
}

/* A program that catches the signal may end with a status of its own, which is passed on; one that
 * repeats the signal's in the manner of a shell has said no more than that. */
bool until_ended(const struct until *until, int status)
{
    if (until->state < UNTIL_ASKED)
        return false;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGKILL;
    return WEXITSTATUS(status) == 128 + SIGTERM || WEXITSTATUS(status) == 128 + SIGKILL;
}
