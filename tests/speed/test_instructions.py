#!/usr/bin/env python3
# suite: test
# limit: 240
"""Added instructions per malloc/free pair, counted by callgrind: at most 60 with glibc.

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


tare.Cases().each({
    "64_bytes_unsampled": lambda: added(64, "--rate", str(1 << 40)),
    "64_bytes": lambda: added(64),
    "1000_bytes_unsampled": lambda: added(1000, "--rate", str(1 << 40)),
})
