/* main.c - `make simulate`: the rules of the verdict against programs whose truth is known.
 *
 * Each run writes a real ledger, and the production code judges it again and again while it grows,
 * as the doctor does: after every step in runs of up to EVERY_STEP steps, in longer ones at step 32
 * and then every max(8, n/12) steps and at the end. A run is a false alarm when any of its looks
 * calls a benign pattern a leak; for a bounded store from three times its capacity on.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/facts/ticks.h"
#include "doctor/run/examine.h"
#include "doctor/ask/objects.h"
#include "ledger/model.h"
#include "thresholds.h"
#include "play.h"

#define EVERY_STEP     300
#define SEED           20240607ull
#define CAPACITY_TIMES 3
#define HEAVY_MOST     100 /* steps of a pattern too large for longer runs */
#define PATTERNS_MAX   32
#define LENGTHS        5
#define MOMENTS        9
#define NO_STACK       UINT_MAX

static const uint64_t lengths[LENGTHS] = {12, 30, 100, 300, 3000};
static const uint64_t moments[MOMENTS] = {12, 32, 40, 60, 100, 150, 200, 300, 3000};

struct tally {
    uint64_t runs, looks, alarms, undecided; /* runs; undecided at the end */
    uint64_t found[MOMENTS];                 /* runs with a leak verdict at or before the moment */
    uint64_t kept;                           /* leak verdict at the end */
    uint64_t blamed;                         /* runs with a leak reported at a line that does not leak */
};

struct options {
    uint64_t runs, long_runs, jobs, seed;
    const char *only, *directory;
    bool verbose, list, sensitivity;
};

struct results {
    struct tally benign[PATTERNS_MAX][LENGTHS];
    struct tally leaks[PATTERNS_MAX][LENGTHS];
};

struct look {
    enum kind verdict;
    double rate;
    unsigned stack; /* of the first finding; NO_STACK: it has none */
    char summary[320];
};

static bool is_leak(enum kind kind)
{
    return kind == KIND_retained || kind == KIND_native || kind == KIND_unbounded_cache;
}

static void die(const struct why *why)
{
    (void)fprintf(stderr, "simulate: %s\n", why->text);
    exit(70);
}

static unsigned stack_of(const struct process_report *report, const struct model *model)
{
    const uint32_t site = report->finding_count ? report->findings[0].site : 0;

    return site > 0 ? model->sites[site - 1].stack - 1 : NO_STACK;
}

/* One look: the ledger is read and judged, and the program is asked to watch what is suspect. */
static void look_at(struct look *out, struct world *world)
{
    struct process_report report = {.pid = 0};
    struct arena *arena = arena_new();
    struct model *model = NULL;
    struct visit *visit = NULL;
    struct why why = {""};
    struct objects wanted;

    if (arena && model_load(&model, world->ledger.head, world->ledger.size, &why) == 0)
        visit = visit_new(model, NULL, NULL, arena);
    if (visit)
        examine_visit(&report, visit);
    if (!visit_is_whole(visit))
        die(&why);
    out->verdict = report.verdict;
    out->rate = report.finding_count ? report.findings[0].rate.estimate : 0;
    out->stack = stack_of(&report, model);
    (void)snprintf(out->summary, sizeof(out->summary), "by %s %llu: %s (%s)", clock_name_shown(report.clock),
                   (unsigned long long)report.clock_count, report.answer,
                   report.finding_count ? report.findings[0].summary : "no finding");
    objects_look(&wanted, visit);
    world->focus |= wanted.focus;
    world_watch(world, wanted.focus);
    visit_free(visit);
    model_free(model);
    arena_free(arena);
}

static bool is_look(uint64_t tick, uint64_t ticks, uint64_t *next)
{
    if (ticks <= EVERY_STEP || tick == ticks)
        return true;
    if (tick < *next)
        return false;
    *next = tick + (tick / 12 > 8 ? tick / 12 : 8);
    return true;
}

static void describe(const struct options *options, const char *what, const struct pattern *pattern,
                     const struct play *play, uint64_t seed, uint64_t tick, const struct look *look)
{
    if (options->verbose)
        (void)printf("# %s: %s, seed %llx, step %llu of %llu, capacity %llu, traffic %llu, noise %.1f, "
                     "a %llu, b %llu, %llu bytes, %llu ms: %s\n",
                     what, pattern->name, (unsigned long long)seed, (unsigned long long)tick,
                     (unsigned long long)play->ticks, (unsigned long long)play->capacity,
                     (unsigned long long)play->traffic, play->noise, (unsigned long long)play->a,
                     (unsigned long long)play->b, (unsigned long long)play->size,
                     (unsigned long long)play->world->step_ns / 1000000,
                     look->summary);
}

static void note_found(struct tally *tally, uint64_t tick)
{
    for (unsigned i = 0; i < MOMENTS; i++)
        if (tick <= moments[i])
            (void)__atomic_add_fetch(&tally->found[i], 1, __ATOMIC_RELAXED);
}

/* What the looks at one run have shown so far. */
struct course {
    uint64_t looks, found; /* found: the first tick with a leak verdict; 0: none */
    bool alarm, blamed;
};

static bool is_benign(const struct pattern *pattern)
{
    return pattern >= benign && pattern < benign + benign_count;
}

static void take_in(struct course *course, const struct play *play, uint64_t tick, const struct look *look)
{
    course->looks++;
    if (!is_leak(look->verdict) || tick < play->settled)
        return;
    course->alarm |= tick >= CAPACITY_TIMES * play->capacity;
    if (play->leaks_at && look->stack != play->leaks_at)
        course->blamed |= tick >= CAPACITY_TIMES * play->capacity;
    else
        course->found = course->found ? course->found : tick;
}

static void add_up(struct tally *tally, const struct course *course, const struct look *last)
{
    (void)__atomic_add_fetch(&tally->runs, 1, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&tally->looks, course->looks, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&tally->alarms, course->alarm, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&tally->blamed, course->blamed, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&tally->undecided, last->verdict == KIND_undecided, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&tally->kept, is_leak(last->verdict), __ATOMIC_RELAXED);
    if (course->found)
        note_found(tally, course->found);
}

static void run_once(const struct options *options, const struct pattern *pattern, uint64_t ticks,
                     uint64_t seed, uint32_t number, struct tally *tally)
{
    struct look look = {.verdict = KIND_clean, .stack = NO_STACK};
    struct course course = {0}, before;
    uint64_t next = 32;
    struct world world;
    struct play play;
    struct why why;

    if (world_open(&world, options->directory, number, seed, &why) != 0)
        die(&why);
    play_begin(&play, pattern, &world, ticks);
    for (uint64_t tick = 1; tick <= ticks; tick++) {
        play_step(&play, pattern, tick);
        if (!is_look(tick, ticks, &next))
            continue;
        look_at(&look, &world);
        before = course;
        take_in(&course, &play, tick, &look);
        if (is_benign(pattern) && course.alarm && !before.alarm)
            describe(options, "alarm", pattern, &play, seed, tick, &look);
        if (course.blamed && !before.blamed)
            describe(options, "wrong line", pattern, &play, seed, tick, &look);
    }
    if (!is_benign(pattern) && !is_leak(look.verdict) && ticks >= EVERY_STEP)
        describe(options, "missed", pattern, &play, seed, ticks, &look);
    add_up(tally, &course, &look);
    play_end(&play);
    world_close(&world);
}

static uint64_t seed_of(uint64_t seed, bool leak, size_t pattern, unsigned length, uint64_t run)
{
    struct random random = {seed + (leak ? 1u << 30 : 0) + pattern * 1000003u + length * 7919u};

    random.state = random_bits(&random) + run;
    return random_bits(&random);
}

static bool is_wanted(const struct options *options, const struct pattern *pattern, uint64_t ticks)
{
    if (pattern->heavy && ticks > HEAVY_MOST)
        return false;
    return !options->only || strstr(pattern->name, options->only);
}

/* The share of one process: every jobs-th run. */
static void work(const struct options *options, uint64_t job, struct results *results)
{
    const uint32_t number = (uint32_t)getpid();

    for (unsigned l = 0; l < LENGTHS; l++) {
        const uint64_t runs = lengths[l] > EVERY_STEP ? options->long_runs : options->runs;

        for (uint64_t run = job; run < runs; run += options->jobs) {
            for (size_t i = 0; i < benign_count; i++)
                if (is_wanted(options, &benign[i], lengths[l]))
                    run_once(options, &benign[i], lengths[l],
                             seed_of(options->seed, false, i, l, run), number,
                             &results->benign[i][l]);
            for (size_t i = 0; i < leak_count; i++)
                if (is_wanted(options, &leaks[i], lengths[l]))
                    run_once(options, &leaks[i], lengths[l],
                             seed_of(options->seed, true, i, l, run), number,
                             &results->leaks[i][l]);
        }
    }
}

static void work_together(const struct options *options, struct results *results)
{
    int status;

    (void)fflush(stdout);
    for (uint64_t job = 0; job < options->jobs; job++) {
        const pid_t child = fork();

        if (child < 0)
            die(&(struct why){"cannot fork"});
        if (child == 0) {
            work(options, job, results);
            (void)fflush(stdout);
            _exit(0);
        }
    }
    while (wait(&status) > 0 || errno == EINTR)
        if (status != 0)
            die(&(struct why){"a worker failed"});
}

/* ---- the tables ---- */

static uint64_t print_benign(const struct results *results)
{
    struct tally all = {0};

    (void)printf(
        "\nFalse leak verdicts (and undecided at the end), of all runs\n\n| benign pattern |");
    for (unsigned l = 0; l < LENGTHS; l++)
        (void)printf(" %llu |", (unsigned long long)lengths[l]);
    (void)printf("\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < benign_count; i++) {
        if (results->benign[i][0].runs == 0)
            continue;
        (void)printf("| %s |", benign[i].name);
        for (unsigned l = 0; l < LENGTHS; l++) {
            const struct tally *one = &results->benign[i][l];

            (void)printf(" %llu (%llu) of %llu |", (unsigned long long)one->alarms,
                         (unsigned long long)one->undecided, (unsigned long long)one->runs);
            all.runs += one->runs;
            all.looks += one->looks;
            all.alarms += one->alarms;
        }
        (void)printf("\n");
    }
    (void)printf("\nfalse alarms: %llu of %llu runs (%.3f%%), %llu looks\n",
                 (unsigned long long)all.alarms, (unsigned long long)all.runs,
                 all.runs ? 100.0 * (double)all.alarms / (double)all.runs : 0,
                 (unsigned long long)all.looks);
    return all.runs ? all.alarms * 1000000 / all.runs : 0;
}

static void print_share(uint64_t part, uint64_t whole)
{
    if (whole == 0)
        (void)printf(" not run |");
    else
        (void)printf(" %.1f |", 100.0 * (double)part / (double)whole);
}

/* The runs that show what was found by this step: of 12, 300 or 3,000 steps; heavy ones of 100. */
static const struct tally *run_for(const struct tally tallies[LENGTHS],
                                   const struct pattern *pattern, uint64_t moment)
{
    if (moment == lengths[0])
        return &tallies[0];
    if (moment > lengths[3])
        return &tallies[4];
    return &tallies[pattern->heavy && moment <= HEAVY_MOST ? 2 : 3];
}

/* Runs in which the wrong line was reported, per million. */
static uint64_t print_leaks(const struct results *results)
{
    uint64_t runs = 0, blamed = 0;

    (void)printf(
        "\nLeaks found by step, %% of runs (12: runs of 12 steps; to 300: of 300; 3,000: of "
        "3,000)\n\n| leak |");
    for (unsigned m = 0; m < MOMENTS; m++)
        (void)printf(" %llu |", (unsigned long long)moments[m]);
    (void)printf(
        " at the end of 300 | of 3,000 |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < leak_count; i++) {
        if (results->leaks[i][0].runs == 0)
            continue;
        (void)printf("| %s |", leaks[i].name);
        for (unsigned m = 0; m < MOMENTS; m++) {
            const struct tally *one = run_for(results->leaks[i], &leaks[i], moments[m]);

            print_share(one->found[m], one->runs);
        }
        for (unsigned l = 3; l < LENGTHS; l++)
            print_share(results->leaks[i][l].kept, results->leaks[i][l].runs);
        for (unsigned l = 0; l < LENGTHS; l++) {
            runs += results->leaks[i][l].runs;
            blamed += results->leaks[i][l].blamed;
        }
        (void)printf("\n");
    }
    (void)printf("\nleaks reported at a line that does not leak: in %llu of %llu runs\n",
                 (unsigned long long)blamed, (unsigned long long)runs);
    return runs ? blamed * 1000000 / runs : 0;
}

/* ---- the goals ---- */

struct goal {
    const char *name;
    unsigned length, moment; /* indexes */
    double percent;
};

static const struct goal goals[] = {
    {"one per step, quiet class", 3, 2, 99},         /* by step 40 */
    {"one per step, busy class", 3, 3, 99},          /* by step 60 */
    {"1 KB per step in 10 MB of traffic", 3, 6, 95}, /* by step 200 */
    {"1 in 20 objects", 3, 5, 90},                   /* by step 150 */
    {"heavy steps: models", 0, 0, 99},               /* in 12 steps */
    {"load, then a leaky loop", 3, 7, 99},           /* by step 300, of which 60 to 180 load */
    {"load, then leaky optimizer steps", 3, 7, 99},
    {"only the second loop leaks", 3, 7, 99},
    {"only the evaluation every n steps leaks", 4, 8, 99}, /* by step 3,000 */
    {"a phase that comes again leaks", 4, 8, 99},
};

static int check_share(uint64_t per_million, const char *name)
{
    const int missed = per_million > 1000;

    (void)printf("%s %s-at-most-0.1-percent\n", missed ? "FAILED" : "ok", name);
    return missed;
}

static int check_goals(const struct results *results)
{
    int missed = 0;

    for (size_t g = 0; g < sizeof(goals) / sizeof(goals[0]); g++)
        for (size_t i = 0; i < leak_count; i++) {
            const struct tally *one = &results->leaks[i][goals[g].length];
            bool ok;

            if (strcmp(leaks[i].name, goals[g].name) != 0 || one->runs == 0)
                continue;
            ok =
                100.0 * (double)one->found[goals[g].moment] >= goals[g].percent * (double)one->runs;
            missed |= !ok;
            (void)printf("%s leak-%zu-found-in-%.0f-percent-by-step-%llu\n", ok ? "ok" : "FAILED",
                         i + 1, goals[g].percent, (unsigned long long)moments[goals[g].moment]);
        }
    return missed;
}

/* ---- other thresholds ---- */

/* Of runs of up to 300 steps: false alarms in benign ones, and leaks found at the end of the longest. */
static void print_rates(const struct options *options, struct results *results)
{
    uint64_t alarms = 0, benign_runs = 0, found = 0, leak_runs = 0;

    memset(results, 0, sizeof(*results));
    work_together(options, results);
    for (size_t i = 0; i < benign_count; i++)
        for (unsigned l = 0; l < LENGTHS; l++) {
            alarms += results->benign[i][l].alarms;
            benign_runs += results->benign[i][l].runs;
        }
    for (size_t i = 0; i < leak_count; i++) {
        const struct tally *one = run_for(results->leaks[i], &leaks[i], HEAVY_MOST);

        found += one->kept;
        leak_runs += one->runs;
    }
    (void)printf(" %llu of %llu, %.1f%% |", (unsigned long long)alarms, (unsigned long long)benign_runs,
                 leak_runs ? 100.0 * (double)found / (double)leak_runs : 0);
    (void)fflush(stdout);
}

/* The same runs with each threshold a quarter lower, and a quarter higher. */
static void print_sensitivity(const struct options *asked, struct results *results)
{
    struct options options = *asked;

    options.long_runs = 0;
    (void)printf("\nFalse alarms, and leaks found at the end of 300 steps, with each threshold moved by a "
                 "quarter\n\n| rule | value | three quarters | five quarters |\n|---|---|---|---|\n"
                 "| as it is | |");
    print_rates(&options, results);
    (void)printf(" |\n");
    for (size_t i = 0; i < threshold_count(); i++) {
        const double value = threshold_value(i);

        (void)printf("| %s | %g |", threshold_name(i), value);
        threshold_to(i, 0.75 * value);
        print_rates(&options, results);
        threshold_to(i, 1.25 * value);
        print_rates(&options, results);
        threshold_to(i, value);
        (void)printf("\n");
    }
}

static void set_rule(const char *words)
{
    if (threshold_by_words(words))
        return;
    (void)fprintf(stderr, "simulate: \"%s\" is not NAME=VALUE of a rule; --rules lists them\n", words);
    exit(2);
}

static uint64_t number_of(const char *text)
{
    return strtoull(text, NULL, 10);
}

static void read_options(struct options *out, int argc, char **argv)
{
    static const struct option known[] = {
        {"runs", required_argument, NULL, 'r'},      {"long-runs", required_argument, NULL, 'l'},
        {"jobs", required_argument, NULL, 'j'},      {"only", required_argument, NULL, 'o'},
        {"directory", required_argument, NULL, 'd'}, {"verbose", no_argument, NULL, 'v'},
        {"seed", required_argument, NULL, 's'},      {"rule", required_argument, NULL, 'R'},
        {"rules", no_argument, NULL, 'L'},           {"sensitivity", no_argument, NULL, 'S'},
        {NULL, 0, NULL, 0}};
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == 'r')
            out->runs = number_of(optarg);
        else if (c == 'l')
            out->long_runs = number_of(optarg);
        else if (c == 'j')
            out->jobs = number_of(optarg) ? number_of(optarg) : 1;
        else if (c == 'o')
            out->only = optarg;
        else if (c == 'd')
            out->directory = optarg;
        else if (c == 's')
            out->seed = number_of(optarg);
        else if (c == 'R')
            set_rule(optarg);
        else if (c == 'L')
            out->list = true;
        else if (c == 'S')
            out->sensitivity = true;
        else if (c == 'v')
            out->verbose = true;
        else
            exit(2);
    }
}

/* Tables, and whether the goals are missed. */
static int report(const struct options *options, struct results *results)
{
    uint64_t alarms, blamed;

    if (options->sensitivity) {
        print_sensitivity(options, results);
        return 0;
    }
    work_together(options, results);
    (void)printf("seed %llu\n", (unsigned long long)options->seed);
    alarms = print_benign(results);
    blamed = print_leaks(results);
    return check_share(alarms, "false-alarms") | check_share(blamed, "wrong-lines") |
           check_goals(results);
}

int main(int argc, char **argv)
{
    struct options options = {.runs = 500, .long_runs = 500, .jobs = 2, .seed = SEED};
    char own[] = "/dev/shm/tare-simulate-XXXXXX"; /* the writer refuses a directory of another user */
    struct results *results =
        mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int missed;

    if (results == MAP_FAILED)
        die(&(struct why){"out of memory"});
    read_options(&options, argc, argv);
    if (options.list) {
        threshold_list();
        return 0;
    }
    if (!options.directory && !mkdtemp(own))
        die(&(struct why){"cannot make a directory in /dev/shm"});
    options.directory = options.directory ? options.directory : own;
    /* A model per look. Its pages are kept for the next, but its steps, 2 MB of which a few are used, are
     * cheaper to map than to clear. */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
    missed = report(&options, results);
    (void)rmdir(own);
    return missed;
}
