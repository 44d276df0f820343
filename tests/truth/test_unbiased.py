#!/usr/bin/env python3
# suite: test
# limit: 300
"""Per-site estimates over 200 runs: right in the mean, and as scattered as the mathematics says.

A block of s bytes is sampled with probability p = 1 - exp(-s/R) and then stands for s/p bytes, so
the estimate of a site with n such blocks has mean n s and variance n s^2 (1-p)/p. The mean of 200
runs must lie within 5 standard errors (a chance of 6e-7 for each of four sites to fail), and the
scatter within 0.7 to 1.3 of the expected one (six standard errors of a standard deviation).
"""
import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

RUNS, RATE = 200, 20000


def one_run():
    """{line: (estimate, bytes, blocks)} of one run."""
    answer = tare.fresh("report")
    run = tare.traced([tare.program("sites")], ["--rate", str(RATE), "--json", answer])
    assert run.status == 0, run.err.decode()
    truth = [tuple(map(int, line.split())) for line in run.out.decode().splitlines()]
    process = tare.root_process(json.loads(answer.read_text()))
    estimates = tare.live_by_line(process, "sites.c")
    return {line: (estimates.get(line, 0), size, blocks) for line, size, blocks in truth}


def check(cases, line, runs):
    size, blocks = runs[0][line][1:]
    estimates = [run[line][0] for run in runs]
    mean = sum(estimates) / RUNS
    scatter = math.sqrt(sum((e - mean) ** 2 for e in estimates) / (RUNS - 1))
    each = size / blocks
    chance = -math.expm1(-each / RATE)
    expected = math.sqrt(blocks * each * each * (1 - chance) / chance)
    error = (mean - size) / (expected / math.sqrt(RUNS))
    print(f"{each:.0f}-byte blocks: {size} held, {mean:.0f} in the mean of {RUNS} runs, "
          f"{error:+.2f} standard errors; scatter {scatter:.0f}, expected {expected:.0f}")
    with cases.case(f"mean_of_{each:.0f}_byte_blocks"):
        assert abs(error) < 5, f"{error:+.2f} standard errors off"
    with cases.case(f"scatter_of_{each:.0f}_byte_blocks"):
        assert 0.7 < scatter / expected < 1.3, f"{scatter:.0f} instead of {expected:.0f}"


def main():
    cases = tare.Cases()
    runs = []
    with cases.case("every_run_gives_a_report"):
        runs = [one_run() for _ in range(RUNS)]
    for line in runs[0] if len(runs) == RUNS else ():
        check(cases, line, runs)
    cases.finish()


main()
