/* loops.c - see loops.h. All of it on the interpreter's main thread. */
#include "probe/loops.h"

#include "ledger/table.h"
#include "probe/loops_pure.h"
#include "probe/own.h"
#include "probe/python_api.h"
#include "probe/python_view.h"

#define CODES 512 /* functions whose loops are remembered */
#define WINDOW 8
#define ACTIVE 8 /* loops that are counted at a time */
#define FEW_INSIDE 8 /* turns of an inner loop for one of the loop around it */
#define SILENCE_NS 1000000000u /* after it another loop may take the place of the one that counts */

/* A loop that is turning. */
struct active {
    const struct loop_range *loop; /* NULL: a free slot */
    const struct loop_code *code;
    unsigned level;
    uint64_t turns;
};

static struct loop_code *codes; /* NULL: no memory, no clock */
static struct loop_look looks[2], *last = &looks[0], *spare = &looks[1];
static struct active active[ACTIVE];
static unsigned oldest; /* of `active`, in turn */
static const struct loop_range *chosen;
static uint64_t chosen_time; /* of its latest turn */
static uint64_t chosen_turns; /* of it, so far */
static unsigned turns;       /* not taken yet */
static const struct loop_range *around; /* the outermost loop that has the chosen one inside */
static unsigned turns_around;           /* of it, not taken yet */
static bool passed;          /* what allocated at the last look has been finished */
static bool unknown;         /* a function of the last look is not known yet */
static bool off;             /* instructions of an unknown version */

void loops_setup(void)
{
    codes = own_map(CODES * sizeof(*codes));
}

void loops_forked(void)
{
    memset(active, 0, sizeof(active));
    last->count = 0;
    chosen = around = NULL;
    turns = turns_around = 0;
    passed = unknown = false;
}

unsigned loops_take_turns(void)
{
    const unsigned now = turns;

    turns = 0;
    return now;
}

unsigned loops_take_around(void)
{
    const unsigned now = turns_around;

    turns_around = 0;
    return now;
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

/* The addresses of what its variables refer to, as one number. */
static uint64_t state_of(const struct python_frame *frame, const struct loop_code *known)
{
    const uint64_t at = python_view_locals();
    uint64_t state = 1;

    if (!known || known->variables == 0 || !frame->frame || at == 0)
        return 0;
    for (unsigned i = 0; i < known->variables; i++)
        state = (state ^ python_word(frame->frame + at + 8ull * i)) * 0x9E3779B97F4A7C15ull;
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

/* A loop that was left begins anew when it is entered again. */
static void leave_loops(const struct loop_look *look, const struct loop_turn *turn)
{
    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop &&
            (loops_is_new(turn, active[i].level) || !is_inside(look, &active[i])))
            active[i].turns = 0;
}

static struct active *entry_of(const struct loop_look *look, const struct loop_turn *turn)
{
    struct active *entry;

    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop == turn->loop && active[i].level == turn->level)
            return &active[i];
    entry = &active[oldest++ % ACTIVE];
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
    if (outer->level != inner->level)
        return outer->level < inner->level;
    return outer->code == inner->code && outer->loop->start <= inner->loop->start &&
           outer->loop->last >= inner->loop->last;
}

static bool is_around_loop(const struct active *entry, const struct loop_range *loop)
{
    for (unsigned i = 0; i < ACTIVE; i++)
        if (active[i].loop && active[i].loop == loop)
            return is_around(entry, &active[i]);
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

static void count_turn(const struct loop_look *look, const struct loop_turn *turn, uint64_t now)
{
    struct active *entry = entry_of(look, turn);

    entry->turns++;
    if (turn->loop == chosen) {
        turns++;
        chosen_turns++;
        chosen_time = now;
        return;
    }
    if (entry->turns < LOOPS_LEAST || !entry->code->user)
        return;
    if (chosen && !takes_over(entry))
        count_around(entry);
    if ((chosen && !takes_over(entry) && (now - chosen_time < SILENCE_NS || in_chosen(look))))
        return;
    if (around == turn->loop)
        around = NULL;
    chosen = turn->loop;
    chosen_turns = entry->turns;
    chosen_time = now;
    turns += (unsigned)entry->turns;
}

void loops_look(const struct python_frame *frames, unsigned count, unsigned max, uint64_t now)
{
    struct loop_look *look = spare;
    struct loop_turn turn;

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
        count_turn(look, &turn, now);
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
