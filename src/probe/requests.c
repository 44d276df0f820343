/* requests.c - see requests.h. */
#include "probe/requests.h"

#include "probe/adapter.h"
#include "probe/holders.h"
#include "probe/life.h"
#include "probe/next.h"
#include "probe/rate.h"
#include "probe/raw.h"
#include "probe/step.h"

#define PAUSE_FREE_NS 500000000u /* interventions may always take this long in all … */
#define PAUSE_SHARE 100          /* … or one part in this many of the elapsed time */

static uint32_t seen_word; /* of the mailbox, when it was last read */
static uint64_t pause_ns;
static int searching = -1; /* slot of the request that a search will answer */

uint64_t requests_pause(void)
{
    return __atomic_load_n(&pause_ns, __ATOMIC_RELAXED);
}

void requests_reset(void)
{
    seen_word = 0;
    pause_ns = 0;
    searching = -1;
    holders_reset();
}

static bool may_pause(const struct ledger *ledger)
{
    const struct bell *bell = life_bell();
    const uint64_t elapsed = raw_now() - ledger->head->start_mono;
    const uint64_t most =
        elapsed / PAUSE_SHARE > PAUSE_FREE_NS ? elapsed / PAUSE_SHARE : PAUSE_FREE_NS;

    return !(bell && bell->observe) && requests_pause() < most;
}

static bool do_trim(struct intervention_record *record)
{
    if (next.trim)
        record->released = (uint32_t)next.trim(0);
    return next.trim != NULL;
}

static bool do_collect(struct intervention_record *record)
{
    record->released = adapter_collect();
    return record->released != 0;
}

/* One intervention, measured before and after. */
static enum request_state intervene(struct ledger *ledger, enum intervention_kind kind,
                                    bool (*act)(struct intervention_record *), uint64_t answer[4])
{
    struct intervention_record record = {.kind = (uint32_t)kind, .ordinal = step_ordinal()};
    struct thread_sums sums;

    if (!may_pause(ledger))
        return REQUEST_REFUSED;
    thread_sum(&sums);
    record.live_before = sums.live_bytes;
    record.resident_before = step_resident();
    record.time = raw_now();
    if (!act(&record))
        return REQUEST_REFUSED;
    record.pause_ns = raw_now() - record.time;
    thread_sum(&sums);
    record.live_after = sums.live_bytes;
    record.resident_after = step_resident();
    (void)__atomic_add_fetch(&pause_ns, record.pause_ns, __ATOMIC_RELAXED);
    (void)ledger_append(ledger, SECTION_interventions, &record);
    answer[0] = record.released;
    return REQUEST_DONE;
}

/* The answer comes when the copy of the process has found it. */
static enum request_state begin_search(struct ledger *ledger, const struct request *request)
{
    static const uint64_t no_sites[4];
    uint64_t pause = 0;
    bool begun;

    if (!may_pause(ledger))
        return REQUEST_REFUSED;
    begun = holders_begin(ledger,
                          request->kind == REQUEST_holders ? request->argument : no_sites, &pause);
    (void)__atomic_add_fetch(&pause_ns, pause, __ATOMIC_RELAXED);
    return begun ? REQUEST_TAKEN : REQUEST_REFUSED;
}

static enum request_state carry_out(struct ledger *ledger, const struct request *request,
                                    uint64_t answer[4])
{
    switch ((enum request_kind)request->kind) {
    case REQUEST_rate:
        answer[0] = rate_set(request->argument[0]);
        return REQUEST_DONE;
    case REQUEST_watch:
        answer[0] = rate_focus(request->argument[0], step_ordinal());
        return REQUEST_DONE;
    case REQUEST_trim:
        return intervene(ledger, INTERVENTION_TRIM, do_trim, answer);
    case REQUEST_collect:
        return intervene(ledger, INTERVENTION_COLLECT, do_collect, answer);
    case REQUEST_holders:
    case REQUEST_account:
        return begin_search(ledger, request);
    }
    return REQUEST_REFUSED; /* asked by a newer doctor */
}

void requests_serve(struct ledger *ledger)
{
    struct mailbox *mail = life_mailbox();
    uint32_t word;
    int slot;

    if (!mail)
        return;
    if (searching >= 0 && holders_poll(ledger) == HOLDERS_FINISHED) {
        mailbox_answer(mail, life_bell(), searching, REQUEST_DONE, (const uint64_t[4]){1});
        searching = -1;
    }
    word = __atomic_load_n(&mail->word, __ATOMIC_ACQUIRE);
    if (word == seen_word)
        return;
    seen_word = word;
    while ((slot = mailbox_take(mail, raw_now())) >= 0) {
        const struct request request = mail->slots[slot];
        uint64_t answer[4] = {0};
        const enum request_state state = carry_out(ledger, &request, answer);

        if (state == REQUEST_TAKEN)
            searching = slot;
        else
            mailbox_answer(mail, life_bell(), slot, state, answer);
    }
}
