#!/usr/bin/env python3
"""The kernel's OOM killer: noticed, reported, and distinguished from an ordinary SIGKILL."""
import json
import os
import subprocess
from pathlib import Path

from clitest import LEAK, TARE, Skip, compile_c, main, marked
from node_list import NODE_LIST

EATER = """
#include <stdlib.h>
#include <string.h>
int main(void) { for (;;) { char *p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); } }
"""
SAYS = b"OOM killer"


class Limited:
    """A cgroup with a limit in megabytes, of version 1 or 2."""

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

    def kills(self):
        """How many processes the kernel has killed in it."""
        name = "memory.oom_control" if self.limit == "memory.limit_in_bytes" else "memory.events"
        words = (self.path / name).read_text().split()
        return int(words[words.index("oom_kill") + 1])

    def run(self, scratch, *words, options=()):
        def enter():
            (self.path / "cgroup.procs").write_text(str(os.getpid()))

        return subprocess.run([TARE, "run", "--no-report", "-o", "run", *options, "--",
                               *map(str, words)],
                              cwd=scratch, preexec_fn=enter, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=40)


def case_killed_because_memory_ran_out(scratch):
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


def case_what_has_happened_is_not_forecast(scratch):
    """The limit was reached: the answer says so, and no line says when it will be."""
    leak = marked(scratch, "leak", LEAK)
    with Limited(96) as group:
        done = group.run(scratch, leak, 10_000, 4000, 131072, options=("--json", "report.json"))
    assert done.returncode == 137, done
    root = json.loads((scratch / "report.json").read_text())["processes"][0]
    assert root["ended"] == "killed by the kernel's OOM killer", root["ended"]
    assert root["answer"].endswith("; it was killed when memory ran out."), root["answer"]
    assert root["forecast"] is None, root["forecast"]


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
    assert not found and "not searched: too little memory is left" in notes, notes


def case_a_search_where_there_is_room(scratch):
    found, notes = searched(scratch, 48)
    assert found and "not searched" not in notes, notes


# Small blocks in a list, an array that is written again and again, and a leak.
CROWD = NODE_LIST + """
int main(int count, char **words)
{
    const size_t size = (size_t)atol(words[2]) << 20;
    char *array = malloc(size + 1);

    memset(array, 1, size);
    for (long i = atol(words[1]); i > 0; i--)
        add(sizeof(struct node));
    for (int step = 0; step < 1500; step++) {
        tare_step(step);
        add(3000);
        for (size_t at = 0; at < size; at += 4096)
            array[at] += (char)count;
        usleep(1000);
    }
    return 0;
}
"""


def crowded(scratch, nodes, array, megabytes):
    """The kills in a cgroup of so many megabytes, the first finding, the notes and the text report."""
    crowd = marked(scratch, "crowd", CROWD)
    with Limited(megabytes) as group:
        done = group.run(scratch, crowd, nodes, array, options=("--json", "report.json"))
        kills = group.kills()
    assert done.returncode == 0, done
    root = json.loads((scratch / "report.json").read_text())["processes"][0]
    text = subprocess.run([TARE, "report", "-v", "run"], cwd=scratch, stdout=subprocess.PIPE, timeout=20)
    return kills, root["findings"][0], " ".join(root["notes"]), text.stdout.decode()


def case_a_search_that_would_not_fit_is_not_begun(scratch):
    """Its tables would take as much as three million small blocks do."""
    kills, finding, notes, text = crowded(scratch, 3_000_000, 0, 170)
    assert kills == 0, (kills, notes)
    assert finding["kind"] == "retained" and finding["held_by"] is None, finding
    assert "too little memory" in finding["holder_unsearched"], finding
    assert "not searched: too little memory is left" in notes, notes
    assert "holder: not searched (too little memory" in " ".join(text.split()), text
    assert "still refers to this memory" not in text, text


def case_a_search_leaves_room_for_what_the_program_writes(scratch):
    """Each page that the program writes while a copy has it too is there twice: none is made then."""
    kills, finding, notes, _ = crowded(scratch, 1_000_000, 300, 460)
    assert kills == 0, (kills, notes)
    assert finding["kind"] == "retained" and finding["holder_unsearched"] is None, finding
    assert finding["held_by"].startswith("newest"), finding  # at the end, when nothing is written
    assert "not searched: too little memory is left" in notes, notes


def case_the_report_says_so_too(scratch):
    eater = compile_c(scratch, "eater", EATER, "-O0")
    with Limited() as group:
        group.run(scratch, eater)
    done = subprocess.run([TARE, "report", "run"], cwd=scratch, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=20)
    assert b"OOM" in done.stdout or SAYS in done.stdout, done


main(globals())
