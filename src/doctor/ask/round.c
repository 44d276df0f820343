/* round.c - see round.h. */
#include "doctor/ask/round.h"

#include "doctor/facts/rules.h"
#include "doctor/runtime/script.h"
#include "doctor/ask/wants.h"

#define VISIT_SHARE 100          /* visits may cost one part in this many of the time */
#define HEAP_VISITS 64
#define VISIT_SHARE_EARLY 12     /* the same in a short run, or while a heap is examined */
#define EARLY_UNTIL 512          /* steps for which a run is short */
#define VISIT_EVERY 250000000ull /* least number of nanoseconds between two visits */
#define VISIT_EARLY 20000000ull  /* the same for a script in these cases; its probe rings at 8, 16, 32 */
#define ASK_NS 10000000000ull    /* how long a question stays open in an ordinary visit */
#define CLOSING_NS 100000000ull  /* kept back of the last round's time for the way out */
#define COLLECTIONS_FOLLOW 10    /* of a JavaScript heap that may grow, each as it rises */
#define CALM_VISITS 8            /* after which a class that is not suspected is not watched for it */
#define EARLY_AGAIN 2            /* another search of what is open when the run is this many times as long */

#define COLLECTIONS_MAX 4        /* asked for in one run, before its last round */
#define COLLECT_NS 1000000000u   /* nanoseconds between the first two collections of a script */
#define SNAPSHOT_NS 1000000000u  /* nanoseconds until a snapshot that was refused is requested again */
#define REFUSALS 4               /* after which none is expected any more */
#define COLLECT_RARER 4          /* each further wait is so many times as long */
#define COLLECT_STEPS 64         /* before the first one, or the time from it to the next */
#define COLLECT_AGAIN 2          /* when the run is this many times as long as at the last one */

enum slot { SLOT_WATCH, SLOT_TRIM, SLOT_HOLDERS, SLOT_ACCOUNT, SLOT_COLLECT, SLOT_OBJECTS,
            SLOT_SNAPSHOT, SLOTS };
_Static_assert((int)SLOTS == ROUND_SLOTS, "one place for each kind of question");

void round_init(struct round *round)
{
    *round = (struct round){.slots = {-1, -1, -1, -1, -1, -1, -1}};
}

static bool look(struct round *round, struct wants *wants, const char *ledger)
{
    round->looks++;
    return wants_look(wants, ledger);
}

/* ---- asking ---- */

static void ask(struct round *round, struct mailbox *mail, enum slot slot, enum request_kind kind,
                const uint64_t argument[4], uint64_t deadline)
{
    const int number = mailbox_ask(mail, kind, argument, deadline);

    round->slots[slot] = number >= 0 ? number : -1;
}

static bool contains(const uint32_t *sites, size_t count, uint32_t site)
{
    for (size_t i = 0; i < count; i++)
        if (sites[i] == site)
            return true;
    return false;
}

static bool was_asked(const struct round *round, uint32_t site)
{
    return contains(round->asked, round->asked_count, site);
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

static void ask_sites(struct round *round, struct mailbox *mail, const uint32_t *sites, size_t count,
                      uint64_t deadline)
{
    uint64_t argument[4];

    mailbox_put_sites(argument, sites, count);
    ask(round, mail, SLOT_HOLDERS, REQUEST_holders, argument, deadline);
}

/* Of these the ones that were not asked about, as far as the run's share goes, into `sites`. */
static size_t take_new(struct round *round, const uint32_t *from, size_t count, uint32_t *sites)
{
    size_t used = 0;

    for (size_t i = 0; i < count && used < MAILBOX_SITES; i++)
        if (!was_asked(round, from[i]) && round->asked_count < ROUND_SITES) {
            round->asked[round->asked_count++] = from[i];
            sites[used++] = from[i];
        }
    return used;
}

static bool early_is_due(const struct round *round, const struct wants *wants)
{
    return wants->early_count > 0 && (round->last || wants->steps >= EARLY_AGAIN * round->early_at);
}

/* What had no answer is asked again as late as what only may leak. What was found is not wanted any more. */
static void forget_unanswered(struct round *round, const struct wants *wants)
{
    if (!round->again || (!round->last && wants->steps < EARLY_AGAIN * round->early_at))
        return;
    round->again = false;
    round->asked_count = 0;
}

/* What leaks; and with it, for no more work, what may. */
static void ask_holders(struct round *round, struct mailbox *mail, const struct wants *wants,
                        uint64_t deadline)
{
    uint32_t sites[MAILBOX_SITES];
    size_t count;

    if (round->slots[SLOT_HOLDERS] >= 0)
        return;
    forget_unanswered(round, wants);
    count = take_new(round, wants->sites, wants->site_count, sites);
    if (count == 0 && !early_is_due(round, wants))
        return;
    for (size_t i = 0; i < wants->early_count && count < MAILBOX_SITES; i++)
        if (!contains(sites, count, wants->early[i]))
            sites[count++] = wants->early[i];
    round->early_at = wants->steps;
    ask_sites(round, mail, sites, count, deadline);
}

/* Who holds what makes the peak, and what it is: only what stands is asked about, after what leaks. */
static void ask_large(struct round *round, struct mailbox *mail, const struct wants *wants,
                      uint64_t deadline)
{
    uint32_t sites[MAILBOX_SITES];
    size_t count;

    if (round->slots[SLOT_HOLDERS] >= 0 || (round->large_asks >= RULE_PEAK_ASKS && !round->last))
        return;
    count = take_new(round, wants->large, wants->large_count, sites);
    if (count == 0)
        return;
    round->large_asks++;
    ask_sites(round, mail, sites, count, deadline);
}

/* Of what a tick of the adapter must do, one thing waits at a time. */
static bool is_busy(const struct round *round)
{
    return round->slots[SLOT_COLLECT] >= 0 || round->slots[SLOT_SNAPSHOT] >= 0;
}

/* There is a heap snapshot, or there will be none. */
static bool was_seen(const struct round *round)
{
    return round->snapshot || round->refusals >= REFUSALS;
}

/* A script that leaks is collected until there is a heap snapshot, and then now and then, so
 * that the verdict is not only about its beginning. While nothing rises, collections are more
 * and more rare. Each costs the engine ten times its pause, because it must compile code again. */
static uint64_t collect_wait(struct round *round, const struct wants *wants, uint64_t now)
{
    const uint64_t quarter = (now - round->collect_first) / 4;

    if (wants->leaking)
        return was_seen(round) ? COLLECT_NS : 0;
    if (wants->rising)
        return COLLECT_NS;
    round->collect_wait = round->collect_wait ? COLLECT_RARER * round->collect_wait : COLLECT_NS;
    if (quarter >= COLLECT_NS && round->collect_wait > quarter)
        round->collect_wait = quarter; /* the end of the run must not stay unseen */
    return round->collect_wait;
}

/* The first one should find something to tell of: of a program that may be over before the second. */
static bool is_first_due(struct round *round, const struct wants *wants, uint64_t now)
{
    round->collect_first = round->collect_first ? round->collect_first : now;
    return round->collected_at > 0 || wants->steps >= COLLECT_STEPS ||
           now - round->collect_first >= COLLECT_NS;
}

/* In JavaScript a collection tells something only while the program runs. Again when twice as many
 * steps have been seen: what survived the first one may have been young. A heap that seems to grow is
 * judged by what several collections leave. */
static void ask_collect(struct round *round, struct mailbox *mail, const struct wants *wants,
                        uint64_t deadline)
{
    const uint64_t next = wants->heap ? round->collected_at * 9 / 8 + 8 : 2 * round->collected_at;
    const uint64_t now = mailbox_clock();

    if (is_busy(round) || wants->steps < next || !is_first_due(round, wants, now) ||
        (now < round->collect_after && (!wants->leaking || was_seen(round))))
        return;
    round->collected_at = wants->steps;
    round->collect_after = now + collect_wait(round, wants, now);
    ask(round, mail, SLOT_COLLECT, REQUEST_collect,
        (const uint64_t[4]){wants->heap && !was_seen(round) ? COLLECTIONS_FOLLOW : 0}, deadline);
}

static void ask_snapshot(struct round *round, struct mailbox *mail, const struct wants *wants,
                         uint64_t deadline)
{
    const uint64_t now = mailbox_clock();

    if (!wants->held || round->snapshot || is_busy(round) || (now < round->snapshot_after && !round->last))
        return;
    round->snapshot = true;
    round->snapshot_after = now + SNAPSHOT_NS;
    ask(round, mail, SLOT_SNAPSHOT, REQUEST_snapshot, (const uint64_t[4]){0}, deadline);
}

/* The classes that are watched because they were suspected, and are not suspected any more. */
static uint64_t grown_calm(struct round *round, const struct wants *wants)
{
    const uint64_t suspected = wants->objects.suspected | wants->focus;
    uint64_t calm = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        if (suspected >> c & 1)
            round->calm[c] = 0;
        else if (round->calm[c] < CALM_VISITS)
            round->calm[c]++;
        calm |= round->calm[c] == CALM_VISITS ? round->focused & 1ull << c : 0;
    }
    return calm;
}

static void ask_watch(struct round *round, struct mailbox *mail, const struct wants *wants,
                      uint64_t deadline)
{
    const uint64_t wanted = (round->focused | wants->focus) & ~grown_calm(round, wants);

    if (wanted == round->focused || round->slots[SLOT_WATCH] >= 0 || round->last)
        return;
    round->focused = wanted;
    ask(round, mail, SLOT_WATCH, REQUEST_watch, (const uint64_t[4]){wanted}, deadline);
}

static void ask_all(struct round *round, struct mailbox *mail, const struct wants *wants,
                    uint64_t deadline)
{
    ask_watch(round, mail, wants, deadline);
    if ((wants->trim || (wants->late_trim && round->last)) && !round->trimmed &&
        round->slots[SLOT_TRIM] < 0) {
        round->trimmed = true;
        ask(round, mail, SLOT_TRIM, REQUEST_trim, (const uint64_t[4]){0}, deadline);
    }
    ask_snapshot(round, mail, wants, deadline);
    if (wants->script && (wants->leaking || wants->undecided || wants->heap) && !round->last)
        ask_collect(round, mail, wants, deadline);
    ask_holders(round, mail, wants, deadline);
    ask_large(round, mail, wants, deadline);
}

/* What only an interpreter can do, at one of its steps. It does one thing at a time. */
static void ask_interpreter(struct round *round, struct mailbox *mail, const struct wants *wants,
                            uint64_t deadline)
{
    const struct objects *objects = &wants->objects;

    if (round->slots[SLOT_COLLECT] >= 0 || round->slots[SLOT_OBJECTS] >= 0)
        return;
    if (objects->suspect && !objects->watched && !wants->objects_found &&
        round->windows < RULE_OBJECTS_WINDOWS) {
        round->windows++;
        ask(round, mail, SLOT_OBJECTS, REQUEST_objects, (const uint64_t[4]){objects->window},
            deadline);
    } else if (wants->collect && round->collections < COLLECTIONS_MAX &&
               wants->steps >= COLLECT_AGAIN * round->collected_at) {
        round->collections++;
        round->collected_at = wants->steps;
        ask(round, mail, SLOT_COLLECT, REQUEST_collect, (const uint64_t[4]){0}, deadline);
    } else if (objects->watched && wants->objects_found && round->collections > 0 &&
               !round->unwatched && all_asked(round, wants) && nothing_open(round)) {
        round->unwatched = true;
        ask(round, mail, SLOT_OBJECTS, REQUEST_objects, (const uint64_t[4]){0}, deadline);
    }
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
        if (i == SLOT_HOLDERS && (state == REQUEST_REFUSED || (state == REQUEST_DONE && !answer[0])))
            round->again = true;
        if (i == SLOT_COLLECT && state == REQUEST_REFUSED) /* at that moment the engine could not be asked */
            round->collected_at = round->collect_after = 0;
        if (i == SLOT_SNAPSHOT && state != REQUEST_DONE && state != REQUEST_ASKED &&
            state != REQUEST_TAKEN) {
            round->refusals++;
            round->snapshot = false; /* it would pause the program for too long now */
        }
    }
    return !open;
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
    round->device_growth = wants->device_growth;
    round->state = wants->leaking                 ? ROUND_CONFIRM
                   : wants->focus || wants->undecided ? ROUND_SUSPECT
                                                  : ROUND_WATCH;
    if (round->leaking && !wants->undecided && wants->site_count == 0)
        round->state = ROUND_SETTLED;
}

/* A short run may be over at any moment. A heap that may grow is examined closely for a while. */
static bool is_early(const struct round *round, const struct wants *wants)
{
    return round->steps < EARLY_UNTIL || (wants->heap && round->heap_visits <= HEAP_VISITS);
}

/* A script can be asked only while it runs. While a program is loading, its language is not
 * known. */
static bool is_quick(const struct wants *wants)
{
    return wants->script || (wants->loading && !wants->python);
}

void round_visit(struct round *round, struct mailbox *mail, const char *ledger, bool observe)
{
    const uint64_t now = mailbox_clock();
    struct wants wants;
    uint64_t spent, least;
    bool early;

    (void)collect(round, mail);
    if (now < round->next || round->last)
        return;
    if (look(round, &wants, ledger)) {
        move_on(round, &wants);
        if (!observe && wants.steps >= WANTS_STEPS) {
            ask_all(round, mail, &wants, now + ASK_NS);
            ask_interpreter(round, mail, &wants, now + ASK_NS);
        }
        keep_time(round, &wants, observe, now);
    }
    round->heap_visits += wants.heap;
    early = is_early(round, &wants);
    least = early && is_quick(&wants) ? VISIT_EARLY : VISIT_EVERY;
    spent = (mailbox_clock() - now) * (early ? VISIT_SHARE_EARLY : VISIT_SHARE);
    round->next = now + (spent > least ? spent : least);
}

/* A search takes it too. */
static void ask_account(struct round *round, struct mailbox *mail, uint64_t deadline)
{
    if (round->slots[SLOT_HOLDERS] < 0 && round->slots[SLOT_ACCOUNT] < 0)
        ask(round, mail, SLOT_ACCOUNT, REQUEST_account, (const uint64_t[4]){0}, deadline);
}

bool round_wrap_up(struct round *round, struct mailbox *mail, bool observe)
{
    const uint64_t end = mailbox_clock() + LAST_ROUND_NS;

    if (!round->wrapped) {
        round->wrapped = true;
        if (!observe)
            ask_account(round, mail, end);
    }
    return collect(round, mail);
}

/* If an interpreter seems to leak, the first request is a collection. Nothing held the blocks
 * that it releases. True: the answer is still to come. */
static bool collects_first(struct round *round, struct mailbox *mail, const char *ledger,
                           uint64_t deadline)
{
    struct wants wants;

    if (!round->collected) {
        round->collected = true;
        if (look(round, &wants, ledger) && (wants.python || (wants.script && !wants.loading)) &&
            (wants.leaking || wants.undecided))
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
        if (look(round, &wants, ledger)) {
            move_on(round, &wants);
            round->postponed = round->slots[SLOT_HOLDERS] >= 0;
            if (!observe) {
                ask_all(round, mail, &wants, end);
                ask_account(round, mail, end);
            }
        }
    }
    if (!collect(round, mail) && now < end)
        return false;
    if (now < end && !observe && round->postponed) { /* an earlier search was in the way */
        round->postponed = false;
        if (look(round, &wants, ledger))
            ask_holders(round, mail, &wants, end);
        ask_account(round, mail, end);
    }
    return collect(round, mail) || now >= end;
}
