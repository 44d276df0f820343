/* round.c - see round.h. */
#include "doctor/round.h"

#include <string.h>

#include "base/arena.h"
#include "doctor/diagnosis.h"
#include "doctor/focus.h"
#include "doctor/judge.h"
#include "doctor/reach.h"
#include "doctor/rules.h"
#include "ledger/model.h"

#define VISIT_SHARE 100          /* a visit may cost one part in this many of the time */
#define VISIT_EVERY 250000000ull /* nanoseconds between two visits, at least */
#define ASK_NS 10000000000ull    /* how long a question stays open in an ordinary visit */
#define CLOSING_NS 100000000ull  /* kept back of the last round's time for the way out */
#define FIRST_STEPS 12           /* fewer say nothing that could be asked about */

enum slot { SLOT_WATCH, SLOT_TRIM, SLOT_HOLDERS, SLOT_ACCOUNT, SLOT_COLLECT, SLOTS };

/* What a look at the ledger found worth asking. */
struct wants {
    uint64_t focus;
    uint32_t sites[ROUND_SITES];
    unsigned site_count;
    bool trim;
    bool python;
    bool late_trim; /* only at the end: it changes the very size that is judged */
    bool leaking, undecided;
    uint64_t steps;
    double growth; /* bytes per second */
};

void round_init(struct round *round)
{
    *round = (struct round){.slots = {-1, -1, -1, -1, -1}};
}

/* ---- looking ---- */

static void want_site(struct wants *wants, const struct model *model, const struct finding *finding)
{
    if (finding->site && !reach_record(model, finding->site - 1) &&
        wants->site_count < ROUND_SITES)
        wants->sites[wants->site_count++] = finding->site;
}

static void read_findings(struct wants *wants, const struct model *model,
                          const struct process_report *report)
{
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct finding *finding = &report->findings[i];

        switch (finding->kind) {
        case KIND_retained:
        case KIND_native:
        case KIND_unbounded_cache:
            wants->leaking = true;
            want_site(wants, model, finding);
            break;
        case KIND_fragmentation:
        case KIND_framework_cache:
            wants->late_trim = true;
            break;
        case KIND_undecided:
            wants->undecided = true;
            break;
        default:
            break;
        }
    }
    wants->trim |= wants->leaking; /* to say that it changed nothing */
}

static bool is_leak(const struct finding *finding)
{
    return kind_status(finding->kind) == 1 && !finding->note && finding->rate.low > 0;
}

/* Rates are told by step, or by second where time is the clock. */
static double growth_of(const struct process_report *report, const struct model *model)
{
    const struct step_record *steps = model->steps;
    const double span =
        model->step_count > 1 ? (double)(steps[model->step_count - 1].time - steps[0].time) / 1e9 : 0;
    const bool by_time = report->clock && strcmp(report->clock, "time") == 0;
    const double pace = by_time ? 1 : span > 0 ? (double)report->clock_count / span : 0;
    double sum = 0;

    for (size_t i = 0; i < report->finding_count; i++)
        if (is_leak(&report->findings[i]))
            sum += report->findings[i].rate.estimate * pace;
    return sum;
}

static bool look(struct wants *wants, const char *path)
{
    struct process_report report = {.pid = 0};
    struct arena *arena = arena_new();
    struct model *model = NULL;
    struct why why;
    bool seen;

    *wants = (struct wants){.focus = 0};
    seen = arena && model_load_file(&model, path, &why) == 0 &&
           judge_process(&report, model, NULL, NULL, arena, &why) == 0;
    if (seen) {
        wants->steps = report.clock_count;
        wants->python = model->code_count > 0;
        wants->focus = focus_of(model);
        wants->growth = growth_of(&report, model);
        read_findings(wants, model, &report);
    }
    model_free(model);
    arena_free(arena);
    return seen;
}

/* ---- asking ---- */

static void ask(struct round *round, struct mailbox *mail, enum slot slot, enum request_kind kind,
                const uint64_t argument[4], uint64_t deadline)
{
    const int number = mailbox_ask(mail, kind, argument, deadline);

    round->slots[slot] = number >= 0 ? number : -1;
}

static bool was_asked(const struct round *round, uint32_t site)
{
    for (unsigned i = 0; i < round->asked_count; i++)
        if (round->asked[i] == site)
            return true;
    return false;
}

static void ask_holders(struct round *round, struct mailbox *mail, const struct wants *wants,
                        uint64_t deadline)
{
    uint64_t sites[4] = {0};
    unsigned count = 0;

    if (round->slots[SLOT_HOLDERS] >= 0)
        return;
    for (unsigned i = 0; i < wants->site_count && count < 4; i++)
        if (!was_asked(round, wants->sites[i]) && round->asked_count < ROUND_SITES) {
            round->asked[round->asked_count++] = wants->sites[i];
            sites[count++] = wants->sites[i];
        }
    if (count > 0)
        ask(round, mail, SLOT_HOLDERS, REQUEST_holders, sites, deadline);
}

static void ask_all(struct round *round, struct mailbox *mail, const struct wants *wants,
                    uint64_t deadline)
{
    if (wants->focus & ~round->focused && round->slots[SLOT_WATCH] < 0 && !round->last) {
        round->focused |= wants->focus;
        ask(round, mail, SLOT_WATCH, REQUEST_watch, (const uint64_t[4]){round->focused}, deadline);
    }
    if ((wants->trim || (wants->late_trim && round->last)) && !round->trimmed &&
        round->slots[SLOT_TRIM] < 0) {
        round->trimmed = true;
        ask(round, mail, SLOT_TRIM, REQUEST_trim, (const uint64_t[4]){0}, deadline);
    }
    ask_holders(round, mail, wants, deadline);
}

static bool collect(struct round *round, struct mailbox *mail)
{
    bool open = false;

    for (int i = 0; i < SLOTS; i++) {
        uint64_t answer[4];
        enum request_state state;

        if (round->slots[i] < 0)
            continue;
        state = mailbox_collect(mail, round->slots[i], answer);
        if (state == REQUEST_ASKED || state == REQUEST_TAKEN)
            open = true;
        else
            round->slots[i] = -1;
    }
    return !open;
}

/* All sites whose holders are wanted have been asked for, as far as the run's share goes. */
static bool all_asked(const struct round *round, const struct wants *wants)
{
    for (unsigned i = 0; i < wants->site_count; i++)
        if (!was_asked(round, wants->sites[i]) && round->asked_count < ROUND_SITES)
            return false;
    return true;
}

static bool nothing_open(const struct round *round)
{
    for (int i = 0; i < SLOTS; i++)
        if (round->slots[i] >= 0)
            return false;
    return true;
}

/* When did it become quiet, or certain? Whoever only looks has nothing to be answered. */
static void keep_time(struct round *round, const struct wants *wants, bool observe, uint64_t now)
{
    const bool answered = observe || (wants->focus == 0 && all_asked(round, wants) &&
                                      nothing_open(round) && round->trimmed);
    const bool calm = round->state == ROUND_WATCH;
    const bool settled = wants->leaking && !wants->undecided && answered;

    round->calm_since = !calm ? 0 : round->calm_since ? round->calm_since : now;
    round->settled_since = !settled ? 0 : round->settled_since ? round->settled_since : now;
}

static void move_on(struct round *round, const struct wants *wants)
{
    round->leaking = wants->leaking;
    round->undecided = wants->undecided || wants->focus;
    round->steps = wants->steps;
    round->growth = wants->growth;
    round->state = wants->leaking                 ? ROUND_CONFIRM
                   : wants->focus || wants->undecided ? ROUND_SUSPECT
                                                  : ROUND_WATCH;
    if (round->leaking && !wants->undecided && wants->site_count == 0)
        round->state = ROUND_SETTLED;
}

void round_visit(struct round *round, struct mailbox *mail, const char *ledger, bool observe)
{
    const uint64_t now = mailbox_clock();
    struct wants wants;
    uint64_t spent;

    (void)collect(round, mail);
    if (now < round->next || round->last)
        return;
    if (look(&wants, ledger)) {
        move_on(round, &wants);
        if (!observe && wants.steps >= FIRST_STEPS)
            ask_all(round, mail, &wants, now + ASK_NS);
        keep_time(round, &wants, observe, now);
    }
    spent = (mailbox_clock() - now) * VISIT_SHARE;
    round->next = now + (spent > VISIT_EVERY ? spent : VISIT_EVERY);
}

bool round_wrap_up(struct round *round, struct mailbox *mail, bool observe)
{
    const uint64_t end = mailbox_clock() + LAST_ROUND_NS;

    if (!round->wrapped) {
        round->wrapped = true;
        if (!observe && round->slots[SLOT_ACCOUNT] < 0)
            ask(round, mail, SLOT_ACCOUNT, REQUEST_account, (const uint64_t[4]){0}, end);
    }
    return collect(round, mail);
}

/* Before anything else is asked of an interpreter that seems to leak, its garbage is collected: what
 * that releases nobody held. True: the answer is still to come. */
static bool collects_first(struct round *round, struct mailbox *mail, const char *ledger,
                           uint64_t deadline)
{
    struct wants wants;

    if (!round->collected) {
        round->collected = true;
        if (look(&wants, ledger) && wants.python && wants.leaking)
            ask(round, mail, SLOT_COLLECT, REQUEST_collect, (const uint64_t[4]){0}, deadline);
    }
    (void)collect(round, mail);
    return round->slots[SLOT_COLLECT] >= 0;
}

bool round_finish(struct round *round, struct mailbox *mail, const char *ledger, bool observe)
{
    const uint64_t now = mailbox_clock();
    const uint64_t end = mail->round_deadline > CLOSING_NS ? mail->round_deadline - CLOSING_NS : 0;
    struct wants wants;

    if (now < end && !observe && collects_first(round, mail, ledger, end))
        return false;
    if (!round->last) {
        round->last = true;
        if (look(&wants, ledger)) {
            move_on(round, &wants);
            if (!observe)
                ask_all(round, mail, &wants, end);
            if (!observe && round->slots[SLOT_HOLDERS] < 0) /* a search takes the account too */
                ask(round, mail, SLOT_ACCOUNT, REQUEST_account, (const uint64_t[4]){0}, end);
        }
    }
    return collect(round, mail) || now >= end;
}
