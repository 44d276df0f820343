#!/usr/bin/env python3
# suite: check
# measured: yes
"""Programs that become another user or change their root directory: a forked worker stays watched, a
program started afterwards is named, and nothing is then called clean."""
import json
import os
import shutil
import subprocess

from clitest import CLEAN, LEAK, Skip, compile_c, judged, main, marked, script, tare

NOBODY = 65534
STEPS, SIZE = 600, 3000  # more steps than a ledger has room for at first

# The parent waits; a worker does what `change` says, then works as in clitest. What the worker may still do
# as this user is checked by itself: status 9 says that it kept the privileges.
WORKER = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tare/mark.h>
#include <unistd.h>

#define NOBODY 65534

char *kept[10000];

static void *keep(size_t size)
{
    return memset(malloc(size), 1, size);
}

static int change(const char *way)
{
    if (strcmp(way, "chroot") == 0)
        return chroot(".") != 0 || chdir("/") != 0 || access("/proc", F_OK) == 0;
    if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0)
        return 1;
    if (strcmp(way, "setuid") == 0)
        return setuid(NOBODY) != 0 || setuid(0) == 0;
    if (strcmp(way, "setreuid") == 0)
        return setreuid(NOBODY, NOBODY) != 0;
    if (strcmp(way, "setresuid") == 0)
        return setresuid(NOBODY, NOBODY, NOBODY) != 0;
    return seteuid(NOBODY) != 0;
}

static int work(const char *way, long steps, size_t size)
{
    if (change(way) != 0)
        return 9;
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            return 10; /* nothing of tare's is left open */
    for (long i = 0; i < steps; i++) {
        char *block = keep(size);

        tare_step((uint64_t)i);
        FATE(block, i)
        usleep(1000);
    }
    return open("after", O_WRONLY | O_CREAT, 0600) >= 0 && strcmp(way, "chroot") != 0 ? 9 : 7;
}

int main(int count, char **words)
{
    const pid_t worker = fork();
    int status = 0;

    (void)count;
    if (worker == 0)
        exit(work(words[1], atol(words[2]), (size_t)atol(words[3])));
    waitpid(worker, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
}
"""
LEAKS = WORKER.replace("FATE(block, i)", "kept[i % 10000] = block;")
FREES = WORKER.replace("FATE(block, i)", "(void)kept; free(block);")
STATIC = "#include <unistd.h>\nint main(void) { sleep(5); return 7; }\n"


def as_root():
    if os.geteuid() != 0:
        raise Skip("only root may become another user")


def open_to_all(scratch):
    """A scratch directory whose programs anybody may start."""
    as_root()
    for folder in [scratch, *scratch.parents]:
        if folder.name.startswith("tare-"):
            folder.chmod(0o755)  # tests/run makes it for its own user
    probe = script(scratch, "probe", "#!/bin/sh\nexit 7\n")
    if not shutil.which("setpriv"):
        raise Skip("setpriv is not installed")
    if subprocess.run([*DROP, probe], stderr=subprocess.DEVNULL).returncode != 7:
        raise Skip("another user cannot reach this directory")


DROP = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def report(scratch, status=None):
    return json.loads(tare("report", "--json", "run", cwd=scratch, status=status).stdout)


def watched(scratch, source, way):
    """The worker's part of the report, and the report."""
    as_root()
    program = marked(scratch, "program", source)
    tare("run", "-q", "-o", "run", "--", program, way, STEPS, SIZE, cwd=scratch, status=7)
    answer = report(scratch)
    workers = [one for one in answer["processes"] if one["parent_pid"] == answer["processes"][0]["pid"]]
    assert len(workers) == 1, answer["processes"]
    return workers[0], answer


def leaks(scratch, way):
    worker, answer = watched(scratch, LEAKS, way)
    assert (worker["steps"]["clock"], worker["steps"]["count"]) == ("mark", STEPS), worker["steps"]
    assert worker["lost"] == [], worker["lost"]
    judged(answer["verdict"] == "retained", answer["answer"])
    rate = worker["findings"][0]["bytes_per_step"]
    judged(rate["low"] <= SIZE + 8 and SIZE <= rate["high"], rate)
    judged("keep" in json.dumps(worker["findings"][0]), worker["findings"][0])


def case_a_worker_that_calls_setuid_is_watched(scratch):
    leaks(scratch, "setuid")


def case_a_worker_that_calls_setreuid_is_watched(scratch):
    leaks(scratch, "setreuid")


def case_a_worker_that_calls_setresuid_is_watched(scratch):
    leaks(scratch, "setresuid")


def case_a_worker_that_calls_seteuid_is_watched(scratch):
    leaks(scratch, "seteuid")


def case_a_worker_that_calls_chroot_is_watched(scratch):
    leaks(scratch, "chroot")


def case_a_worker_that_leaks_nothing_is_clean(scratch):
    worker, answer = watched(scratch, FREES, "setuid")
    judged(answer["verdict"] == "clean", answer["answer"])
    judged(worker["verdict"] == "clean", worker["answer"])


def main_is(scratch, source, *command):
    """A report on a run of more than 1.3 s in which `command` is started as another user."""
    open_to_all(scratch)
    program = marked(scratch, "program", source)
    done = tare("run", "-q", "-o", "run", "--", *command, program, 1500, 2000, cwd=scratch, status=7)
    assert b"LD_PRELOAD" not in done.stderr, done.stderr
    answer = report(scratch, status=3)
    assert answer["verdict"] == "undecided", answer["answer"]
    assert f"(program) was not watched: it runs as another user (id {NOBODY})" in answer["answer"], answer
    text = tare("check", "run", cwd=scratch, status=3).stdout.decode()
    assert "Passed" not in text, text
    return answer


def case_a_program_behind_setpriv_is_named(scratch):
    main_is(scratch, LEAK, *DROP)


def case_a_child_behind_setpriv_is_named(scratch):
    """The shell is watched and lives as long: it alone would be called clean."""
    main_is(scratch, CLEAN, "sh", "-c", '"$@"; exit 7', "sh", *DROP)


def case_a_child_behind_setpriv_that_ends_soon_is_named(scratch):
    """It lives for 1.6 s, just longer than the least that matters, and for most of the run."""
    open_to_all(scratch)
    child, parent = marked(scratch, "child", LEAK), marked(scratch, "parent", CLEAN)
    shell = f"{' '.join(DROP)} {child} 800 2000 & {parent} 1000 2000; exit 7"
    tare("run", "-q", "-o", "run", "--", "sh", "-c", shell, cwd=scratch, status=7)
    answer = report(scratch, status=3)
    assert f"(child) was not watched: it runs as another user (id {NOBODY})" in answer["answer"], answer


def case_a_program_behind_setpriv_has_nothing_of_ours(scratch):
    open_to_all(scratch)
    done = tare("run", "-q", "-o", "run", "--", *DROP, "env", cwd=scratch, status=0)
    assert b"LD_PRELOAD" not in done.stdout and b"tare-probe" not in done.stdout, done.stdout
    assert done.stderr == b"", done.stderr
    notes = report(scratch)["notes"]
    assert any("env was not traced: it is started as another user" in note for note in notes), notes


def case_a_program_behind_chroot_that_finds_the_run_is_watched(scratch):
    as_root()
    program = marked(scratch, "program", LEAK)
    tare("run", "-q", "-o", "run", "--", "chroot", "/", program, STEPS, 1000, cwd=scratch, status=7)
    answer = report(scratch, status=1)
    judged(answer["verdict"] == "native", answer["answer"])


def case_a_helper_of_a_moment_changes_nothing(scratch):
    open_to_all(scratch)
    program = marked(scratch, "program", CLEAN)
    shell = f"{' '.join(DROP)} true; exec {program} {STEPS} 4000"
    tare("run", "-q", "-o", "run", "--", "sh", "-c", shell, cwd=scratch, status=7)
    judged(report(scratch)["verdict"] == "clean", report(scratch)["answer"])


def case_a_static_program_beside_a_clean_one_is_named(scratch):
    static = compile_c(scratch, "fixed", STATIC, "-static")
    program = marked(scratch, "program", CLEAN)
    tare("run", "-q", "-o", "run", "--", "sh", "-c", f"{static} & exec {program} {STEPS} 4000", cwd=scratch,
         status=7)
    answer = report(scratch, status=3)
    judged("(fixed) was not watched: it is linked statically" in answer["answer"], answer["answer"])


main(globals())
