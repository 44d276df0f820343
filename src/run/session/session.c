/* session.c - see session.h. */
#include "run/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/session/budget.h"
#include "run/output/speech.h"
#include "run/session/disk.h"
#include "run/output/finish.h"
#include "run/start/launch.h"
#include "run/start/preflight.h"
#include "run/start/probe_path.h"
#include "run/system/proc.h"
#include "run/rundir/rundir.h"
#include "run/start/signals.h"
#include "run/output/status.h"
#include "run/session/until.h"
#include "run/watch/watch.h"
#include "doctor/source/record_sources.h"
#include "doctor/verbs/tried.h"

struct session {
    struct run_options *options;     /* borrowed */
    const struct try_remedy *remedy; /* borrowed; NULL: none is tried */
    char **command;
    struct preflight program;
    struct rundir dir;
    struct bell own_bell; /* used if the run has no directory */
    struct watch watch;
    struct launch launch;
    struct status status;
    struct until until;
    struct budget budget;
    struct disk disk;
    uint32_t unwatched; /* processes that were not watched because of the disk budget */
    char probe[PROBE_PATH_MAX], python[PROBE_PATH_MAX], node[PROBE_PATH_MAX];
    bool preload;         /* the program, or only its children, get the probe */
    const char *untraced; /* why the program carries no probe; NULL: it does */
    char untraced_text[512];
};

/* A part of tare is missing; the program runs without it. */
static void say_untraced(struct session *session, const struct why *why)
{
    (void)snprintf(session->untraced_text, sizeof(session->untraced_text), "%s", why->text);
    session->untraced = session->untraced_text;
    speech_say("%s; %s runs untraced", why->text, session->command[0]);
}

static bool switched_off(void)
{
    const char *off = getenv("TARE_OFF");

    return off && strcmp(off, "1") == 0;
}

/* --snapshot alone takes one however long the pause is. */
static uint64_t longest_pause(const struct run_options *options)
{
    return options->max_pause ? options->max_pause : options->snapshot ? UINT64_MAX : 0;
}

/* 0, or the exit code if the run must not begin. */
static int prepare_directory(struct session *session)
{
    const char *slash = strrchr(session->program.path, '/');
    const struct rundir_request request = {.directory = session->options->directory,
                                           .program = slash ? slash + 1 : session->program.path,
                                           .command = session->command,
                                           .force = session->options->force,
                                           .observe = session->options->observe,
                                           .no_snapshot = session->options->no_snapshot,
                                           .max_pause = longest_pause(session->options),
                                           .rate = session->options->rate};
    struct why why = {""};
    const int err = rundir_open(&session->dir, &request, &why);

    if (err == ERR_USAGE)
        return speech_fail(err, &why);
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
    node_path(session->node, session->probe);
    session->untraced = session->program.untraced;
    session->preload = session->program.harmless;
}

static int prepare(struct session *session)
{
    struct why why = {""};
    int code = preflight(&session->program, session->command[0], &why);

    session->dir.fd = -1;
    if (code) {
        speech_say("%s", why.text);
        return code;
    }
    if (switched_off()) {
        session->untraced = "TARE_OFF=1 is set";
        speech_say("TARE_OFF=1 is set; %s runs untraced", session->command[0]);
        return 0;
    }
    code = prepare_directory(session);
    if (code)
        return code;
    choose_probe(session);
    session_check_files(session->options);
    if (!proc_present())
        speech_say("there is no /proc here, so the sizes of the program cannot be read");
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
        budget_pass(&session->budget, &session->watch);
        disk_pass(&session->disk, &session->watch);
        until_pass(&session->until, &session->watch, session->launch.pid);
        if (all->count)
            status_show(&session->status, session->dir.fd >= 0 ? session->dir.path : NULL,
                        all->list[0].pid, all->list[0].generation, session->watch.resident,
                        mailbox_clock() - session->watch.started);
        signals_wait(seen, watch_until_due(&session->watch));
    }
}

static void announce_snapshot(pid_t pid)
{
    speech_say("process %d: taking a heap snapshot; the process is paused until it is written", (int)pid);
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
    session->launch.node = session->node[0] ? session->node : NULL;
    session->launch.environment = session->remedy ? session->remedy->environment : NULL;
    watch_init(&session->watch, &session->dir, bell);
    session->watch.on_snapshot =
        session->options->snapshot && !session->options->quiet ? announce_snapshot : NULL;
    session->watch.remedy = session->remedy ? session->remedy->request : 0;
    session->budget = (struct budget){.host.bytes = session->options->budget,
                                      .device.bytes = session->options->device_budget};
    disk_init(&session->disk, session->options->disk);
    until_init(&session->until, session->options->until_verdict);
    code = launch_start(&session->launch, &why);
    if (code) {
        speech_say("%s", why.text);
    } else {
        if (session->untraced && session->untraced == session->program.untraced)
            speech_say("%s %s; it runs untraced", session->command[0], session->untraced);
        watch_root(&session->watch, session->launch.pid, session->launch.started,
                   session->untraced);
        status_init(&session->status, !session->options->quiet);
        look_after(session);
        status_fini(&session->status);
        budget_end(&session->budget, &session->watch);
        session->unwatched = disk_end(&session->disk, &session->watch);
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
        speech_say("%s was killed by the kernel's OOM killer", session->command[0]);
    if (session->until.state >= UNTIL_ASKED && !session->options->quiet)
        speech_say("%s was ended by tare: %s", session->command[0], session->until.reason);
    if (watch->refused)
        speech_say("no ledger could be made for %u of the processes, which ran untraced (is the disk "
                "full, or their address space limited to less than %lu MB more?)",
                watch->refused, LEDGER_SPACE_LEAST >> 20);
    if (session->unwatched)
        speech_say("%u processes were not watched: the run's disk budget was used up (see --disk)",
                session->unwatched);
    if (watch->orphans && !session->options->quiet)
        speech_say("still running: %s", watch->orphan_names);
}

static void fill_end(const struct session *session, struct session_end *out)
{
    const bool by_us = until_ended(&session->until, session->launch.status);

    out->status = by_us ? EXIT_CLEAN : launch_exit_code(&session->launch);
    if (session->dir.fd >= 0)
        memcpy(out->directory, session->dir.path, sizeof(out->directory));
}

void session_check_files(struct run_options *options)
{
    if (options->json && !finish_check(options->json, "JSON report"))
        options->json = NULL;
    if (options->html && !finish_check(options->html, "page"))
        options->html = NULL;
}

/* Reports show lines only of these files. */
static void keep_sources(struct session *session)
{
    struct why why = {""};

    if (session->dir.ledger.head &&
        record_sources(session->dir.path, &session->dir.ledger, &why) != 0)
        watch_note(&session->watch, "the source files were not recorded: %s", why.text);
}

int session_run(struct run_options *options, char **command, const struct try_remedy *remedy,
                struct session_end *out)
{
    static struct session session; /* large */
    int code;

    session = (struct session){.options = options, .command = command, .remedy = remedy};
    *out = (struct session_end){.status = EXIT_OURS};
    code = prepare(&session);
    if (code)
        return code;
    code = run_program(&session);
    if (code) {
        rundir_discard(&session.dir);
    } else {
        keep_sources(&session);
        watch_keep_effort(&session.watch, session.launch.worked);
        say_end(&session);
        fill_end(&session, out);
    }
    watch_fini(&session.watch);
    disk_fini(&session.disk);
    rundir_close(&session.dir);
    return code;
}
