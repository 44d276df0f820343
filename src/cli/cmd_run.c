/* cmd_run.c - `tare run`: start a program with the probe, watch it, say what was seen.
 *
 * The program comes first. Whatever fails on our side is told in one sentence, and the program
 * runs as it would have run without us; its exit status is ours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/finish.h"
#include "cli/launch.h"
#include "cli/preflight.h"
#include "cli/probe_path.h"
#include "cli/proc.h"
#include "cli/rundir.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "cli/watch.h"

struct options {
    const char *directory, *json;
    uint64_t rate;
    bool force, quiet, observe, exit_code, no_report;
};

struct session {
    struct options options;
    char **command;
    struct preflight program;
    struct rundir dir;
    struct bell own_bell; /* where there is no directory to hold the run's */
    struct watch watch;
    struct launch launch;
    struct status status;
    char probe[PROBE_PATH_MAX], python[PROBE_PATH_MAX];
    bool preload;         /* the probe is given to the program, or through it to its children */
    const char *untraced; /* why the program carries no probe; NULL: it does */
    char untraced_text[512];
};

/* Something of ours is missing; the program goes its way without us. */
static void say_untraced(struct session *session, const struct why *why)
{
    (void)snprintf(session->untraced_text, sizeof(session->untraced_text), "%s", why->text);
    session->untraced = session->untraced_text;
    cli_say("%s; %s runs untraced", why->text, session->command[0]);
}

static bool switched_off(void)
{
    const char *off = getenv("TARE_OFF");

    return off && strcmp(off, "1") == 0;
}

/* 0, or the exit code of a run that must not begin. */
static int prepare_directory(struct session *session)
{
    const char *slash = strrchr(session->program.path, '/');
    const struct rundir_request request = {.directory = session->options.directory,
                                           .program = slash ? slash + 1 : session->program.path,
                                           .command = session->command,
                                           .force = session->options.force,
                                           .observe = session->options.observe,
                                           .rate = session->options.rate};
    struct why why = {""};
    const int err = rundir_open(&session->dir, &request, &why);

    if (err == ERR_USAGE)
        return cli_fail(err, &why);
    if (err)
        say_untraced(session, &why);
    return 0;
}

static void choose_probe(struct session *session)
{
    struct why why = {""};

    if (session->untraced)
        return;
    if (probe_path(session->probe, &why) != 0) {
        say_untraced(session, &why);
        return;
    }
    python_path(session->python, session->probe);
    session->untraced = session->program.untraced;
    session->preload = session->program.harmless;
}

static int prepare(struct session *session)
{
    struct why why = {""};
    int code = preflight(&session->program, session->command[0], &why);

    session->dir.fd = -1;
    if (code) {
        cli_say("%s", why.text);
        return code;
    }
    if (switched_off()) {
        session->untraced = "TARE_OFF=1 is set";
        cli_say("TARE_OFF=1 is set; %s runs untraced", session->command[0]);
        return 0;
    }
    code = prepare_directory(session);
    if (code)
        return code;
    choose_probe(session);
    if (session->options.json && !finish_check(session->options.json))
        session->options.json = NULL;
    if (!proc_present())
        cli_say("there is no /proc here; the sizes of the program cannot be read");
    return 0;
}

static void look_after(struct session *session)
{
    struct bell *bell = session->watch.bell;
    enum launch_event event = LAUNCH_QUIET;

    while (event != LAUNCH_ENDED) {
        const uint32_t seen = __atomic_load_n(&bell->word, __ATOMIC_ACQUIRE);
        const struct patients *all = &session->watch.patients;

        event = launch_events(&session->launch);
        if (event == LAUNCH_ENDED)
            break;
        if (event == LAUNCH_STOPPED) {
            status_clear(&session->status);
            launch_follow_stop(&session->launch);
            continue;
        }
        watch_pass(&session->watch);
        if (all->count)
            status_show(&session->status, session->dir.fd >= 0 ? session->dir.path : NULL,
                        all->list[0].pid, all->list[0].generation, session->watch.resident,
                        mailbox_clock() - session->watch.started);
        signals_wait(seen, watch_until_due(&session->watch));
    }
}

/* 0, or the exit code of a program that could not be started. */
static int run_program(struct session *session)
{
    struct bell *bell = session->dir.bell ? session->dir.bell : &session->own_bell;
    struct why why = {""};
    int code;

    witness_start(&session->launch.witness);
    signals_take(bell);
    session->launch.program = &session->program;
    session->launch.command = session->command;
    session->launch.directory = session->dir.fd >= 0 ? session->dir.path : NULL;
    session->launch.probe = session->preload ? session->probe : NULL;
    session->launch.python = session->python[0] ? session->python : NULL;
    watch_init(&session->watch, &session->dir, bell);
    code = launch_start(&session->launch, &why);
    if (code) {
        cli_say("%s", why.text);
    } else {
        if (session->untraced && session->untraced == session->program.untraced)
            cli_say("%s %s; it runs untraced", session->command[0], session->untraced);
        watch_root(&session->watch, session->launch.pid, session->launch.started,
                   session->untraced);
        status_init(&session->status, !session->options.quiet);
        look_after(session);
        status_fini(&session->status);
        watch_end(&session->watch, session->launch.status);
    }
    witness_stop(&session->launch.witness);
    signals_restore();
    return code;
}

static void say_end(const struct session *session)
{
    const struct watch *watch = &session->watch;

    if (watch->kill == KILL_ROOT)
        cli_say("the kernel killed %s because memory ran out", session->command[0]);
    if (watch->refused)
        cli_say("no ledger could be made for %u of the processes, which ran untraced (is the disk "
                "full?)",
                watch->refused);
    if (watch->orphans && !session->options.quiet)
        cli_say("still running: %s", watch->orphan_names);
}

/* The report, and with --exit-code its verdict; else the program's own status. */
static int conclude(struct session *session)
{
    const struct options *options = &session->options;
    const struct finish finish = {.directory = session->dir.path,
                                  .json = options->json,
                                  .report = !options->no_report && !options->quiet,
                                  .verdict = options->exit_code};
    const bool recorded = session->dir.fd >= 0;
    const int status = launch_exit_code(&session->launch);
    int code = EXIT_UNDECIDED;

    say_end(session);
    if (recorded) {
        rundir_close(&session->dir);
        code = finish_run(&finish);
        if (!options->quiet)
            cli_say("the run is kept in %s", finish.directory);
    }
    return options->exit_code ? code : status;
}

static int run(struct session *session)
{
    int code = prepare(session);

    if (code)
        return code;
    code = run_program(session);
    if (code)
        rundir_discard(&session->dir);
    else
        code = conclude(session);
    watch_fini(&session->watch);
    rundir_close(&session->dir);
    return code;
}

int cmd_run(int argc, char **argv)
{
    static struct session session; /* large, and alive until the process ends */
    struct options *o = &session.options;
    const struct opt opts[] = {
        {"output", "directory for what is recorded (default: a new one here)", 'o', "DIR",
         .text = &o->directory},
        {"force", "remove what an earlier run of tare left in DIR", 'f', .flag = &o->force},
        {"quiet", "no status line, no report; only errors", 'q', .flag = &o->quiet},
        {"json", "write the report as JSON, too (- is standard output)", .argument = "FILE",
         .text = &o->json},
        {"rate", "mean number of bytes between samples", .argument = "BYTES", .bytes = &o->rate},
        {"observe", "only look: never collect, trim or pause", .flag = &o->observe},
        {"exit-code", "return the verdict's exit code, not the program's",
         .flag = &o->exit_code},
        {"no-report", "no report at the end", .flag = &o->no_report},
        {0},
    };
    const int first = opt_parse_before(opts, argc, argv);

    if (first < 0 || first == argc)
        return cli_usage("tare run [options] -- COMMAND [argument…]", opts);
    session.command = argv + first;
    return run(&session);
}
