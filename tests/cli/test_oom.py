#!/usr/bin/env python3
"""The kernel's OOM killer: noticed, said, and told from an ordinary SIGKILL."""
import json
import os
import subprocess
from pathlib import Path

from clitest import LEAK, TARE, Skip, compile_c, main, marked

EATER = """
#include <stdlib.h>
#include <string.h>
int main(void) { for (;;) { char *p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); } }
"""
SAYS = b"because memory ran out"


class Limited:
    """A cgroup of 48 MB or as told, of whichever version there is."""

    def __init__(self, megabytes=48):
        self.megabytes = megabytes
        name = f"tare-test-{os.getpid()}"
        first, second = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
        self.path = (first if (first / "memory.limit_in_bytes").exists() else second) / name
        self.limit = "memory.limit_in_bytes" if self.path.parent == first else "memory.max"

    def __enter__(self):
        try:
            self.path.mkdir()
            (self.path / self.limit).write_text(str(self.megabytes << 20))
            for swap in ("memory.swap.max", "memory.swappiness"):
                if (self.path / swap).exists():
                    (self.path / swap).write_text("0")
        except OSError as why:
            self.__exit__()
            raise Skip(f"no cgroup with a memory limit can be made: {why.strerror}")
        return self

    def __exit__(self, *_):
        try:
            self.path.rmdir()
        except OSError:
            pass

    def run(self, scratch, *words, options=()):
        def enter():
            (self.path / "cgroup.procs").write_text(str(os.getpid()))

        return subprocess.run([TARE, "run", "--no-report", "-o", "run", *options, "--",
                               *map(str, words)],
                              cwd=scratch, preexec_fn=enter, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=40)


def case_killed_for_want_of_memory(scratch):
    eater = compile_c(scratch, "eater", EATER, "-O0")
    with Limited() as group:
        done = group.run(scratch, eater)
        assert done.returncode == 137, done
        assert SAYS in done.stderr, done


def case_killed_by_hand_is_not_that(scratch):
    with Limited() as group:
        done = group.run(scratch, "sh", "-c", "kill -9 $$")
        assert done.returncode == 137, done
        assert SAYS not in done.stderr, done


def case_the_flight_is_recorded_before(scratch):
    """The program is killed; what the doctor knew just before is in the run's directory."""
    leak = marked(scratch, "leak", LEAK)
    with Limited(96) as group:
        done = group.run(scratch, leak, 10_000, 4000, 131072, options=("--budget", "1T"))
    assert done.returncode == 137 and SAYS in done.stderr, done
    flight = json.loads((scratch / "run" / "flight.json").read_text())
    assert flight["verdict"] == "native", flight["answer"]
    assert flight["processes"][0]["ended"] == "running", flight["processes"][0]["ended"]
    assert "of the cgroup's limit of 96.0 MB" in (scratch / "run" / "flight.txt").read_text()


def searched(scratch, megabytes):
    """Whether holders were searched for, and the notes, of a leak in so small a cgroup."""
    leak = marked(scratch, "leak", LEAK)
    with Limited(megabytes) as group:
        done = group.run(scratch, leak, 400, 4000, options=("--json", "report.json"))
    assert done.returncode == 7, done
    root = json.loads((scratch / "report.json").read_text())["processes"][0]
    return root["verdict"] == "native", " ".join([root["answer"], *root["notes"]])


def case_no_search_when_little_is_left(scratch):
    """A copy of the program takes memory of its own: it must not be what ends the program."""
    found, notes = searched(scratch, 16)
    assert not found and "not searched for while so little memory is left" in notes, notes


def case_a_search_where_there_is_room(scratch):
    found, notes = searched(scratch, 48)
    assert found and "not searched for" not in notes, notes


def case_the_report_says_so_too(scratch):
    eater = compile_c(scratch, "eater", EATER, "-O0")
    with Limited() as group:
        group.run(scratch, eater)
    done = subprocess.run([TARE, "report", "run"], cwd=scratch, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=20)
    assert b"OOM" in done.stdout or SAYS in done.stdout, done


main(globals())
