/* loops.c - see loops.h. All of it on the interpreter's main thread. */
#include "probe/python/loops.h"

#include "ledger/table.h"
#include "probe/core/own.h"
#include "probe/core/state.h"
#include "probe/python/arenas.h"
#include "probe/python/loops_pure.h"
#include "probe/python/python_api.h"
#include "probe/python/python_view.h"
#include "probe/python/stack_python.h"

#define CODES 512 /* functions whose loops are remembered */
#define WINDOW 8
#define ACTIVE 8 /* loops that are counted at a time */
#define FEW_INSIDE 8 /* turns of an inner loop for one of the loop around it */
#define NUMBER_FIRST 16 /* where the value of an int or a float begins */
#define NUMBER_LEAST 24 /* bytes of the smallest of them */
#define SILENCE_NS 1000000000u /* after it another loop may take the place of the one that counts */

/* Where a function was that is on the stack. */
struct place {
    const struct loop_code *code;
    uint64_t offset;
};

/* A loop that is turning. */
struct active {
    const struct loop_range *loop; /* NULL: a free slot */
    const struct loop_code *code;
    unsigned level;
    uint64_t turns;
    struct place path[LOOPS_DEPTH]; /* the stack up to its level, at its latest turn */
};

static struct loop_code *codes; /* NULL: no memory, no clock */
static struct loop_look looks[2], *last = &looks[0], *spare = &looks[1];
static struct active active[ACTIVE];
static const struct loop_range *chosen;
static uint64_t chosen_time; /* of its latest turn */
static uint64_t chosen_turns; /* of it, so far */
static uint32_t chosen_unit; /* its function, in the ledger */
static bool chosen_library;  /* the chosen loop belongs to a library, not to the program */
static unsigned turns;       /* not taken yet */
static const struct loop_range *around; /* the outermost loop that has the chosen one inside */
static unsigned turns_around;           /* of it, not taken yet */
static bool passed;          /* what allocated at the last look has been finished */
static bool unknown;         /* a function of the last look is not known yet */
static bool off;             /* instructions of an unknown version */

/* With the first look: most programs have no loop of Python to count. */
static void set_up(void)
{
    static bool begun;

    if (!begun)
        codes = own_map(CODES * sizeof(*codes));
    begun = true;
}

void loops_forked(void)
{
    memset(active, 0, sizeof(active));
    last->count = 0;
    chosen = around = NULL;
    chosen_unit = 0;
    turns = turns_around = 0;
    passed = unknown = false;
}

void loops_take(struct loops_taken *out)
{
    *out = (struct loops_taken){.turns = turns,
                                .around = turns_around,
                                .unit = chosen_unit,
                                .offset = chosen ? chosen->start : 0,
                                .library = chosen_library};
    turns = turns_around = 0;
}

bool loops_want_pending(void)
{
    return codes && !off && (unknown || !passed);
}

/* ---- functions ---- */

static struct loop_code *window_of(uintptr_t code)
{
    return &codes[table_hash(code) % (CODES - WINDOW)];
}

static const struct loop_code *find(uintptr_t code, uint64_t mark)
{
    const struct loop_code *window = window_of(code);

    for (unsigned i = 0; i < WINDOW && window[i].code; i++)
        if (window[i].code == code && window[i].mark == mark)
            return &window[i];
    return NULL;
}

/* Slots are never given back: what points to one stays right. */
static const struct loop_code *learn(const struct python *python, const struct python_frame *frame)
{
    struct loop_code *slot = window_of(frame->code);
    struct loop_code known = {.code = frame->code, .mark = frame->mark};
    unsigned i = 0;

    while (i < WINDOW && slot[i].code)
        i++;
    if (i == WINDOW)
        return NULL;
    off = !python_api_loops(python, frame->code, &known);
    slot[i] = known;
    return &slot[i];
}

/* ---- looking ---- */

static uint64_t mix(uint64_t state, uint64_t word)
{
    return (state ^ word) * 0x9E3779B97F4A7C15ull;
}

/* A number that is no longer needed gives its place to the next: what it is counts, too. Other objects may
 * change while the function waits, and only their address counts. */
static uint64_t mix_number(uint64_t state, uintptr_t object)
{
    const size_t size = arenas_size((const void *)object);

    if (size < NUMBER_LEAST || !python_view_is_number(python_word(object + PYTHON_TYPE)))
        return state;
    state = mix(state, python_word(object + NUMBER_FIRST));
    return size > NUMBER_LEAST ? mix(state, python_word(object + NUMBER_FIRST + 8)) : state;
}

/* What its variables refer to, as one number. */
static uint64_t state_of(const struct python_frame *frame, const struct loop_code *known)
{
    const uint64_t at = python_view_locals();
    uint64_t state = 1;

    if (!known || known->variables == 0 || !frame->frame || at == 0)
        return 0;
    for (unsigned i = 0; i < known->variables; i++) {
        const uintptr_t value = python_word(frame->frame + at + 8ull * i);

        state = mix_number(mix(state, value), value & ~(uintptr_t)7);
    }
    return state ? state : 1;
}

/* False: a module is being imported. */
static bool fill(struct loop_look *look, const struct python_frame *frames, unsigned count,
                 bool whole)
{
    look->count = count < LOOPS_DEPTH ? count : LOOPS_DEPTH;
    look->whole = whole && count <= LOOPS_DEPTH;
    for (unsigned i = 0; i < look->count; i++) {
        const struct python_frame *frame = &frames[count - 1 - i];

        look->levels[i] = (struct loop_level){
            .code = frame->code,
            .mark = frame->mark,
            .offset = frame->offset == FRAME_NOT_BEGUN ? 0 : frame->offset,
            .known = find(frame->code, frame->mark)};
        look->levels[i].state = state_of(frame, look->levels[i].known);
        unknown = unknown || !look->levels[i].known;
        if (look->levels[i].known && look->levels[i].known->imports)
            return false;
    }
    return true;
}

static bool is_inside(const struct loop_look *look, const struct active *entry)
{
    const struct loop_level *level = &look->levels[entry->level];

    return entry->level < look->count && level->known == entry->code &&
           level->offset >= entry->loop->start && level->offset <= entry->loop->last;
}

/* A loop that was left starts again when it is entered again. */
static void leave_loops(const struct loop_look *look, const struct loop_turn *turn)
{
    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop &&
            (loops_is_new(turn, active[i].level) || !is_inside(look, &active[i])))
            active[i].turns = 0;
}

static void note_path(struct active *entry, const struct loop_look *look)
{
    for (unsigned i = 0; i < entry->level; i++)
        entry->path[i] = (struct place){look->levels[i].known, look->levels[i].offset};
}

/* How little a place is wanted: a free one least, then those of loops that were left, then inner ones. A
 * library turns many small loops for one turn of the program's, which must not be lost for them. */
static unsigned spare_of(const struct active *entry)
{
    if (!entry->loop)
        return 3 * LOOPS_DEPTH;
    if (entry->loop == chosen)
        return 0;
    return 1 + entry->level + (entry->turns == 0 ? LOOPS_DEPTH : 0);
}

static struct active *least_wanted(void)
{
    struct active *best = &active[0];

    for (unsigned i = 1; i < ACTIVE; i++)
        if (spare_of(&active[i]) > spare_of(best))
            best = &active[i];
    return best;
}

static struct active *entry_of(const struct loop_look *look, const struct loop_turn *turn)
{
    struct active *entry;

    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop == turn->loop && active[i].level == turn->level)
            return &active[i];
    entry = least_wanted();
    *entry = (struct active){
        .loop = turn->loop, .code = look->levels[turn->level].known, .level = turn->level};
    return entry;
}

/* Are we in the loop that counts? */
static bool in_chosen(const struct loop_look *look)
{
    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop && active[i].loop == chosen && is_inside(look, &active[i]))
            return true;
    return false;
}

static bool is_around(const struct active *outer, const struct active *inner)
{
    const struct place *place = &inner->path[outer->level];

    if (outer->level < inner->level)
        return place->code == outer->code && place->offset >= outer->loop->start &&
               place->offset <= outer->loop->last;
    return outer->level == inner->level && outer->code == inner->code &&
           outer->loop->start <= inner->loop->start && outer->loop->last >= inner->loop->last;
}

static bool is_around_loop(const struct active *entry, const struct loop_range *loop)
{
    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop && active[i].loop == loop)
            return is_around(entry, &active[i]);
    return false;
}

/* Is that loop turning, with this one inside? */
static bool is_around_loop_now(const struct loop_range *outer, const struct active *inner)
{
    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop && active[i].loop == outer)
            return active[i].turns > 0 && is_around(&active[i], inner);
    return false;
}

/* A loop around the one that counts, which makes only a few turns for each of its own: between two
 * samples the inner one looked like the outer. */
static bool takes_over(const struct active *entry)
{
    return chosen_turns < FEW_INSIDE * entry->turns && is_around_loop(entry, chosen);
}

/* One that makes many turns for each of its own has a clock beside it: which is the step, whoever judges
 * will know. */
static void count_around(const struct active *entry)
{
    if (entry->loop == around) {
        turns_around++;
    } else if (is_around_loop(entry, chosen) && (!around || is_around_loop(entry, around))) {
        around = entry->loop;
        turns_around += (unsigned)entry->turns;
    }
}

/* A loop around the one that counts is turning still: that one will come again. */
static bool comes_again(const struct loop_look *look)
{
    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop && active[i].loop != chosen && active[i].turns > 0 &&
            is_inside(look, &active[i]) && is_around_loop(&active[i], chosen))
            return true;
    return false;
}

/* Does the loop that has counted so far continue to count? One that has ended gives way at once. */
static bool goes_on(const struct loop_look *look, uint64_t now)
{
    return in_chosen(look) || (now - chosen_time < SILENCE_NS && comes_again(look));
}

/* The program's own loop, or one of a library that calls the program: an event loop, a solver. */
static bool runs_program(const struct loop_look *look, const struct active *entry)
{
    for (unsigned i = entry->level; i < look->count; i++)
        if (look->levels[i].known && look->levels[i].known->user)
            return true;
    return false;
}

/* `again`: a loop is turning that has both this one and the one before inside. */
static void choose(const struct active *entry, const struct python_frame *frame, bool again,
                   uint64_t now)
{
    struct ledger *ledger = state_ledger_now();

    if (around && (around == entry->loop || !is_around_loop_now(around, entry)))
        around = NULL;
    chosen = entry->loop;
    chosen_unit = ledger ? stack_python_unit(ledger, frame) : 0;
    chosen_library = !entry->code->user;
    chosen_turns = again ? chosen_turns + entry->turns : entry->turns;
    chosen_time = now;
    turns += (unsigned)entry->turns;
}

static void count_turn(const struct loop_look *look, const struct loop_turn *turn,
                       const struct python_frame *frame, uint64_t now)
{
    struct active *entry = entry_of(look, turn);

    entry->turns++;
    note_path(entry, look);
    if (turn->loop == chosen) {
        turns++;
        chosen_turns++;
        chosen_time = now;
        return;
    }
    if (entry->turns < LOOPS_LEAST || !runs_program(look, entry))
        return;
    if (chosen && !takes_over(entry))
        count_around(entry);
    if (!chosen || takes_over(entry))
        choose(entry, frame, false, now);
    else if (!goes_on(look, now))
        choose(entry, frame, comes_again(look), now);
}

void loops_look(const struct python_frame *frames, unsigned count, unsigned max, uint64_t now)
{
    struct loop_look *look = spare;
    struct loop_turn turn;

    set_up();
    if (!codes || off)
        return;
    unknown = false;
    if (!fill(look, frames, count, count < max)) {
        unknown = false;
        passed = true;
        return;
    }
    turn = loops_turned(last, look, passed);
    leave_loops(look, &turn);
    if (turn.loop)
        count_turn(look, &turn, &frames[count - 1 - turn.level], now);
    spare = last;
    last = look;
    passed = false;
}

bool loops_pending(const struct python *python, const struct python_frame *frames, unsigned count)
{
    bool work;

    if (!codes || off)
        return true;
    for (unsigned i = count; i-- > 0 && !off;) {
        const struct loop_code *known = find(frames[i].code, frames[i].mark);

        if (!known)
            known = learn(python, &frames[i]);
        if (known && known->imports)
            break;
    }
    work = fill(spare, frames, count, true);
    passed = spare->count == last->count || !loops_within(last, spare);
    unknown = false;
    return work;
}
