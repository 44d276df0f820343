#!/usr/bin/env python3
# suite: test
# limit: 240
"""Added instructions per malloc/free pair, counted by callgrind: at most 60 with glibc. And those of the
native part of a sample in Python.

The same loop with N and with 2N pairs; what the second costs more, divided by N, is a pair. Start
and end of the program fall out, and the count does not depend on the machine's mood.
"""
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

PAIRS = 100_000
LIMIT = 60
PART_LIMIT = 1500  # the whole sample takes ten times as many


def collected(size, pairs, options):
    """Instructions of one run of the loop, with the probe if there are options for it."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={tare.fresh('callgrind')}",
               tare.program("pairs"), pairs, size]
    run = tare.plain(command) if options is None else tare.traced(command, options)
    assert run.status == 0, run.err.decode()
    if options is not None:
        used = [p for p in run.processes() if p["memory"]["allocated_blocks"] >= pairs]
        assert used, "the probe did not see the loop"
    return int(re.search(rb"Collected : (\d+)", run.err).group(1))


def per_pair(size, options):
    return (collected(size, 2 * PAIRS, options) - collected(size, PAIRS, options)) / PAIRS


def added(size, *options):
    if not shutil.which("valgrind"):
        raise tare.Skip("no valgrind")
    alone, with_probe = per_pair(size, None), per_pair(size, list(options))
    print(f"{size}-byte pairs: {alone:.2f} instructions alone, {with_probe:.2f} with the probe, "
          f"{with_probe - alone:.2f} added")
    assert with_probe - alone <= LIMIT, f"{with_probe - alone:.2f} instructions added"


def python_under_callgrind(output):
    """A Python whose samples are taken under callgrind, after a run of 4,000 large allocations."""
    program = "for _ in range(4000):\n    bytearray(70000)\n"
    for python in ("/usr/bin/python3", sys.executable):
        if not Path(python).exists():
            continue
        run = tare.traced(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}.%p", python, "-c",
                           program])
        assert run.status == 0, run.err.decode()
        if any(process["measured"]["samples"] > 1000 for process in run.report()["processes"]):
            return
    raise tare.Skip("no Python whose ledger can be made under valgrind")


def native_part():
    """The walk from a sampled block to the interpreter, beside the Python stack of the sample."""
    if not shutil.which("valgrind"):
        raise tare.Skip("no valgrind")
    output = tare.fresh("callgrind")
    python_under_callgrind(output)
    walks = instructions = 0
    for path in output.parent.glob(f"{output.name}.*"):  # the program and its copies
        words = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--tree=calling", path]
        for line in tare.plain(words).out.decode().splitlines():
            found = re.search(r"^ *([0-9,]+) .*[>] .*:stack_native_choose \(([0-9,]+)x\)", line)
            if found:
                count, times = (int(number.replace(",", "")) for number in found.groups())
                instructions, walks = instructions + count, walks + times
    assert walks > 1000, walks
    print(f"{instructions / walks:.0f} instructions per native part, {walks} of them")
    assert instructions / walks <= PART_LIMIT, instructions / walks


tare.Cases().each({
    "native_part": native_part,
    "64_bytes_unsampled": lambda: added(64, "--rate", str(1 << 40)),
    "64_bytes": lambda: added(64),
    "1000_bytes_unsampled": lambda: added(1000, "--rate", str(1 << 40)),
})
