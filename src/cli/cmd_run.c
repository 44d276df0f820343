/* cmd_run.c - `tare run`: start a program with the probe, watch it, and print the report.
 *
 * The program has priority. If a part of tare fails, one sentence says so, and the program runs as it would
 * without tare. tare exits with the program's status.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "run/output/finish.h"
#include "run/rundir/pattern.h"
#include "run/rundir/rundir.h"
#include "run/session/session.h"
#include "doctor/verbs/tried.h"

/* Prints the report. Returns the exit code of the verdict with --exit-code, else the program's own status. */
static int conclude(const struct run_options *options, const char *directory, int status)
{
    const struct finish finish = {.directory = directory,
                                  .started_here = true,
                                  .json = options->json,
                                  .html = options->html,
                                  .verbose = options->verbose,
                                  .report = !options->no_report && !options->quiet,
                                  .verdict = options->exit_code};
    int code = EXIT_UNDECIDED;

    if (*directory) {
        code = finish_run(&finish);
        if (!options->quiet)
            speech_say("the run is kept in %s", directory);
    }
    return options->exit_code ? code : status;
}

static int run_once(struct run_options *options, char **command)
{
    static struct session_end end;
    const int code = session_run(options, command, NULL, &end);

    return code ? code : conclude(options, end.directory, end.status);
}

/* ---- twice: without a remedy and with it ---- */

/* One of the two runs, in its own directory below `parent`. 0, or the exit code with which tare ends. */
static int run_part(const struct run_options *options, char **command, const char *parent,
                    const struct try_remedy *remedy, struct session_end *end)
{
    struct run_options part = *options;
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof(path), "%s/%s%s", parent,
                                remedy ? RUNDIR_WITH : RUNDIR_PLAIN, remedy ? remedy->name : "");
    int code;

    if (length >= (int)sizeof(path)) {
        speech_say("%s: the path is too long for the directories of two runs", parent);
        return EXIT_USAGE;
    }
    part.directory = path;
    part.json = part.html = NULL;
    if (!options->quiet)
        speech_say("running %s %s %s", command[0], remedy ? "with" : "without",
                remedy ? remedy->name : "a remedy");
    code = session_run(&part, command, remedy, end);
    if (!code && !end->directory[0]) {
        speech_say("%s was not recorded, so there is nothing to compare", command[0]);
        return end->status;
    }
    return code;
}

/* Returns the status of the run without the remedy. */
static int run_twice(struct run_options *options, char **command, const struct try_remedy *remedy)
{
    static struct session_end plain, with;
    static struct rundir parent;
    const char *slash = strrchr(command[0], '/');
    const struct rundir_request request = {.directory = options->directory,
                                           .program = slash ? slash + 1 : command[0],
                                           .force = options->force,
                                           .parent = true};
    struct why why = {""};
    int code = rundir_open(&parent, &request, &why);

    if (code)
        return speech_fail(code, &why);
    session_check_files(options);
    code = run_part(options, command, parent.path, NULL, &plain);
    if (!code)
        code = run_part(options, command, parent.path, remedy, &with);
    if (code) {
        rundir_discard(&parent);
        return code;
    }
    rundir_close(&parent);
    return conclude(options, parent.path, plain.status);
}

static int try_remedy(struct run_options *options, char **command)
{
    const struct try_remedy *remedy = try_find(options->remedy);
    char names[256];

    if (!remedy) {
        speech_say("unknown remedy \"%s\"; choose one of: %s", options->remedy,
                try_names(names, sizeof(names)));
        return EXIT_USAGE;
    }
    if (options->observe) {
        speech_say("--try and --observe cannot be combined");
        return EXIT_USAGE;
    }
    return run_twice(options, command, remedy);
}

/* Expands the pattern of -o. 0, or the exit code. */
static int name_directory(struct run_options *options, const char *program)
{
    static char name[PATH_MAX];
    struct why why = {""};
    int err;

    if (!options->directory)
        return 0;
    err = pattern_expand(name, sizeof(name), options->directory, program, &why);
    options->directory = name;
    return err ? speech_fail(err, &why) : 0;
}

#define DEVICE_BUDGET "gpu:" /* begins a budget of the memory of devices */

/* "20G" and "gpu:20G". 0, or the exit code. */
static int set_budgets(struct run_options *options, const struct opt_list *budgets)
{
    for (size_t i = 0; i < budgets->count; i++) {
        const char *text = budgets->items[i];
        const bool device = strncmp(text, DEVICE_BUDGET, strlen(DEVICE_BUDGET)) == 0;

        if (opt_size(device ? text + strlen(DEVICE_BUDGET) : text,
                     device ? &options->device_budget : &options->budget))
            continue;
        speech_say("--budget needs a size such as 20G or gpu:20G, not \"%s\"; see `tare run --help`", text);
        return EXIT_USAGE;
    }
    return 0;
}

#define PAUSE_MOST_MS 3600000 /* an hour */

/* --max-pause, and what it cannot be combined with. 0, or the exit code. */
static int set_pause(struct run_options *options, const char *text)
{
    char *end = NULL;
    const unsigned long ms = text && text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0ul;

    if (options->snapshot && options->no_snapshot) {
        speech_say("--snapshot and --no-snapshot cannot be combined");
        return EXIT_USAGE;
    }
    if (text && (!end || *end || ms == 0 || ms > PAUSE_MOST_MS)) {
        speech_say("--max-pause needs a number of milliseconds such as 500, not \"%s\"; "
                   "see `tare run --help`",
                   text);
        return EXIT_USAGE;
    }
    options->max_pause = 1000000ull * ms;
    return 0;
}

int cmd_run(int argc, char **argv)
{
    static struct run_options options;
    static struct opt_list budgets;
    struct run_options *o = &options;
    const char *pause = NULL;
    static const char remedies[] = ""
#define TRY(spelling, environment, request, says) spelling " "
#include "doctor/say/remedies_try.def"
#undef TRY
        ;
    const struct opt opts[] = {
        {"output", "directory for the record (%p pid, %h machine, %e program)", 'o', "DIR",
         .text = &o->directory},
        {"force", "remove what an earlier run of tare left in DIR", 'f', .flag = &o->force},
        {"quiet", "no status line, no report; only errors", 'q', .flag = &o->quiet},
        {"verbose", "print the whole report, not its short form", 'v', .flag = &o->verbose},
        {"json", "write the report as JSON, too (- is standard output)", .argument = "FILE",
         .text = &o->json},
        {"html", "write the report as a page for the browser, too", .argument = "FILE",
         .text = &o->html},
        {"rate", "mean number of bytes between samples", .argument = "BYTES", .bytes = &o->rate},
        {"observe", "only observe: never collect, trim or pause", .flag = &o->observe},
        {"snapshot", "take a heap snapshot as soon as the JavaScript heap grows",
         .flag = &o->snapshot},
        {"no-snapshot", "never take a heap snapshot", .flag = &o->no_snapshot},
        {"max-pause", "longest pause for a heap snapshot (default: 500 in a server, else 2000)",
         .argument = "MS", .text = &pause},
        {"until-verdict", "end the program once it is clear whether it leaks",
         .flag = &o->until_verdict},
        {"budget", "warn when memory will reach SIZE (gpu:SIZE: of devices)", .argument = "SIZE",
         .list = &budgets},
        {"disk", "keep the record within SIZE on the disk (default 1G)", .argument = "SIZE",
         .bytes = &o->disk},
        {"try", "run twice, the second time with REMEDY (trim, gc, dispose, …)", .argument = "REMEDY",
         .text = &o->remedy, .choices = remedies},
        {"exit-code", "return the verdict's exit code, not the program's", .flag = &o->exit_code},
        {"no-report", "no report at the end", .flag = &o->no_report},
        {0},
    };
    const int first = opt_parse_before(opts, argc, argv);
    int code;

    if (first < 0 || first == argc)
        return cli_usage("tare run [options] -- COMMAND [argument…]", opts);
    code = set_budgets(o, &budgets);
    if (!code)
        code = set_pause(o, pause);
    if (!code)
        code = name_directory(o, argv[first]);
    if (code)
        return code;
    return o->remedy ? try_remedy(o, argv + first) : run_once(o, argv + first);
}
