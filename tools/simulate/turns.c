/* turns.c - see turns.h. */
#include "turns.h"

#define LOOPS_LEAST 8          /* as in probe/python/loops.h: turns after which a loop counts */
#define FEW_INSIDE  8          /* as in probe/python/loops.c: fewer turns inside each: the outer counts */
#define SILENCE_NS  1000000000 /* as in probe/python/loops.c and probe/record/step.c */

void turns_steps(struct turns *turns, enum clock_id clock)
{
    turns->work = TURNS_STEPS;
    turns->clock = clock;
}

void turns_loop(struct turns *turns, uint32_t loop)
{
    turns->work = TURNS_LOOP;
    turns->inner = loop;
    turns->inner_turns = 0;
}

void turns_none(struct turns *turns)
{
    turns->work = TURNS_NONE;
}

void turns_around(struct turns *turns, uint32_t loop)
{
    turns->outer = loop;
    turns->outer_turns = 0;
    turns->inside = false;
}

/* ---- which loop counts: count_turn() and its helpers in probe/python/loops.c ---- */

static void choose(struct turns *turns, uint32_t loop, uint64_t loop_turns, bool again, uint64_t now)
{
    if (turns->around == loop || turns->around != turns->outer)
        turns->around = 0;
    turns->chosen = loop;
    turns->inside = turns->outer && loop != turns->outer;
    turns->chosen_turns = again ? turns->chosen_turns + loop_turns : loop_turns;
    turns->chosen_time = now;
    turns->new_turns += loop_turns;
}

static void count_chosen(struct turns *turns, uint64_t now)
{
    turns->new_turns++;
    turns->chosen_turns++;
    turns->chosen_time = now;
}

static bool goes_on(const struct turns *turns, uint64_t now)
{
    if (turns->outer && turns->chosen == turns->outer)
        return true;
    return turns->inside && turns->outer_turns > 0 && now - turns->chosen_time < SILENCE_NS;
}

static void turn_inner(struct turns *turns, uint64_t now)
{
    turns->inner_turns++;
    if (turns->inner == turns->chosen)
        count_chosen(turns, now);
    else if (turns->inner_turns >= LOOPS_LEAST && (!turns->chosen || !goes_on(turns, now)))
        choose(turns, turns->inner, turns->inner_turns, turns->inside && turns->outer_turns > 0, now);
}

static bool takes_over(const struct turns *turns)
{
    return turns->inside && turns->chosen_turns < FEW_INSIDE * turns->outer_turns;
}

void turns_next(struct turns *turns, uint64_t now)
{
    turns->outer_turns++;
    if (turns->outer == turns->chosen) {
        count_chosen(turns, now);
        return;
    }
    if (turns->outer_turns < LOOPS_LEAST)
        return;
    if (turns->inside && !takes_over(turns)) {
        turns->new_around += turns->around == turns->outer ? 1 : turns->outer_turns;
        turns->around = turns->outer;
    }
    if (!turns->chosen || takes_over(turns) || !goes_on(turns, now))
        choose(turns, turns->outer, turns->outer_turns, false, now);
}

/* ---- phases: probe/record/phases.c ---- */

static struct phase_record *current(const struct turns *turns, struct ledger *ledger)
{
    return (struct phase_record *)ledger_records(ledger, SECTION_phases) + turns->phase - 1;
}

static void begin(struct turns *turns, struct ledger *ledger, const struct phase_record *record)
{
    const uint32_t id = ledger_append(ledger, SECTION_phases, record);

    turns->phase = id ? id : turns->phase;
    turns->longest = 0;
}

/* The program never waits. */
static void note_work(struct turns *turns, struct ledger *ledger, uint64_t now, uint64_t spent)
{
    if (!turns->phase)
        begin(turns, ledger, &(struct phase_record){.ordinal = 1, .time = now, .kind = PHASE_START});
    current(turns, ledger)->after += spent;
}

static void note_phase(struct turns *turns, struct ledger *ledger, const struct phase_record *record)
{
    struct phase_record *phase = current(turns, ledger);

    if (phase->kind == record->kind && phase->offset == record->offset) {
        if (phase->after > turns->longest) {
            phase->pause = turns->longest;
            turns->longest = phase->after;
        } else if (phase->after > phase->pause) {
            phase->pause = phase->after;
        }
        phase->work += phase->after;
        phase->after = 0;
    } else {
        begin(turns, ledger, record);
    }
    current(turns, ledger)->last = record->time;
}

bool turns_tick(struct turns *turns, struct ledger *ledger, uint64_t ordinal, uint64_t now, uint64_t spent)
{
    struct phase_record record = {.ordinal = ordinal,
                                  .time = now,
                                  .turns = turns->count[CLOCK_loop],
                                  .around = turns->count[CLOCK_outer],
                                  .kind = PHASE_STEPS};

    note_work(turns, ledger, now, spent);
    if (turns->work == TURNS_STEPS) {
        turns->count[turns->clock]++;
        turns->last_real = now;
        note_phase(turns, ledger, &record);
        return true;
    }
    if (turns->work == TURNS_LOOP)
        turn_inner(turns, now);
    if (turns->new_turns + turns->new_around > 0) {
        record.kind = PHASE_LOOP;
        record.offset = turns->chosen; /* the program has no code: its loops differ in their place only */
        note_phase(turns, ledger, &record);
        turns->count[CLOCK_loop] += turns->new_turns;
        turns->count[CLOCK_outer] += turns->new_around;
        turns->new_turns = turns->new_around = 0;
        turns->last_real = now;
        return true;
    }
    if (turns->last_real != 0 && now - turns->last_real < SILENCE_NS)
        return false;
    turns->count[CLOCK_time]++;
    return true;
}
