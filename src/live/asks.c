/* asks.c - see asks.h. */
#include "live/asks.h"

#include <stdio.h>
#include <string.h>

#include "doctor/ask/doctor_mail.h"
#include "ledger/writer.h"

#define GRACE_NS 2000000000ull /* extra time for a request that a process is answering */

void asks_fini(struct asks *asks)
{
    for (size_t i = 0; i < asks->count; i++)
        doctor_mail_close(asks->list[i].mail);
    asks->count = 0;
    asks->under_way = false;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "es";
}

/* False: the process has no mailbox that we may write to, or all slots are in use. */
static bool ask_one(struct ask *ask, const struct feed *feed, const struct feed_process *process,
                    uint64_t now, struct why *why)
{
    static const uint64_t nothing[4];
    char name[LEDGER_NAME_MAX];

    ledger_name(name, process->pid, process->generation, MAILBOX_SUFFIX);
    ask->mail = doctor_mail_open(feed->directory, name, why);
    if (!ask->mail)
        return false;
    ask->slot = mailbox_ask(ask->mail, REQUEST_collect, nothing, now + ASKS_DEADLINE_NS);
    if (ask->slot >= 0)
        return true;
    doctor_mail_close(ask->mail);
    ask->mail = NULL;
    (void)fail(why, ERR_ABSENT, "its mailbox is full");
    return false;
}

static void ask_all(struct asks *asks, const struct feed *feed, uint64_t now)
{
    struct why why = {"no process is running"};

    asks->count = asks->open = asks->done = asks->refused = asks->late = 0;
    for (size_t i = 0; i < feed->process_count; i++)
        if (feed->processes[i].fd >= 0 &&
            ask_one(&asks->list[asks->count], feed, &feed->processes[i], now, &why))
            asks->count++;
    asks->open = asks->count;
    asks->under_way = asks->count > 0;
    asks->given_up = now + ASKS_DEADLINE_NS + GRACE_NS;
    if (asks->count == 0)
        (void)snprintf(asks->says, sizeof(asks->says), "no collection requested: %.150s",
                       why.text);
    else
        (void)snprintf(asks->says, sizeof(asks->says),
                       "asked %zu process%s to collect; they answer at their next step",
                       asks->count, plural(asks->count));
}

void asks_collect(struct asks *asks, const struct feed *feed, uint64_t now)
{
    const char *refusal = NULL;

    if (asks->under_way)
        return;
    if (feed->directory < 0)
        refusal = "this is one ledger, not a run";
    else if (feed->state == FEED_ENDED)
        refusal = "the run has ended";
    else if (feed->observe)
        refusal = "the run was started with --observe";
    if (!refusal)
        ask_all(asks, feed, now);
    else
        (void)snprintf(asks->says, sizeof(asks->says), "no collection requested: %s",
                       refusal);
}

static void conclude(struct asks *asks)
{
    char text[160];
    size_t used = 0;

    asks->under_way = false;
    text[0] = 0;
    if (asks->done)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%zu process%s collected",
                                 asks->done, plural(asks->done));
    if (asks->refused)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu refused",
                                 used ? ", " : "", asks->refused);
    if (asks->late)
        (void)snprintf(text + used, sizeof(text) - used, "%s%zu did not answer in time",
                       used ? ", " : "", asks->late);
    (void)snprintf(asks->says, sizeof(asks->says), "%s%s", text,
                   asks->refused ? " (nothing to collect there, or its pauses are used up)" : "");
}

bool asks_look(struct asks *asks, uint64_t now)
{
    if (!asks->under_way)
        return false;
    for (size_t i = 0; i < asks->count; i++) {
        struct ask *ask = &asks->list[i];
        uint64_t answer[4];
        enum request_state state;

        if (!ask->mail)
            continue;
        state = mailbox_collect(ask->mail, ask->slot, answer);
        if ((state == REQUEST_ASKED || state == REQUEST_TAKEN) && now < asks->given_up)
            continue;
        asks->done += state == REQUEST_DONE;
        asks->refused += state == REQUEST_REFUSED;
        asks->late += state != REQUEST_DONE && state != REQUEST_REFUSED;
        asks->open--;
        doctor_mail_close(ask->mail);
        ask->mail = NULL;
    }
    if (asks->open > 0)
        return false;
    conclude(asks);
    asks->count = 0;
    return true;
}
