"""Paired and interleaved runs of one command in two ways, and the interval of their ratio."""
import os
import random
import statistics
import subprocess
import sys
import time


class Way:
    """A way to run a program: words before it, variables around it. `wants`: what is missing."""

    def __init__(self, name, before=(), variables=(), wants=None):
        self.name, self.before, self.variables, self.wants = name, before, dict(variables), wants

    def words(self, command):
        return [*self.before, *command]

    def cost(self):
        """Only tare counts what it costs."""
        return None


class Inside(Way):
    """A tool that is an option of the interpreter: words between it and the program."""

    def words(self, command):
        interpreter, *rest = command
        return [interpreter, *self.before, *rest]


def nanoseconds(way, command):
    """The last number that the program printed, or, if it prints nothing, the time it took."""
    env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD" and not k.startswith("TARE_")}
    env.update(way.variables)
    begin = time.monotonic_ns()
    done = subprocess.run(way.words(command), env=env, capture_output=True, text=True, timeout=600)
    took = time.monotonic_ns() - begin
    figures = [line for line in done.stdout.splitlines() if line.replace(".", "", 1).isdigit()]
    if done.returncode:
        sys.exit(f"bench: {way.name}: {command[0]} ended with {done.returncode}: {done.stderr}")
    return float(figures[-1]) if figures else took


def interval(values, turns=4000):
    """The median and its 95% bootstrap interval."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(turns))
    return statistics.median(values), medians[turns // 40], medians[-turns // 40 - 1]


def compare(base, other, command, pairs, seconds):
    """Interleaved pairs: the requested number or as many as the time allows, at least five."""
    ratios, added, costs = [], [], []
    begin = time.monotonic()
    nanoseconds(other, command)  # the first one warms the caches
    for turn in range(pairs):
        order = (base, other) if turn % 2 == 0 else (other, base)
        figures = {way.name: nanoseconds(way, command) for way in order}
        ratios.append(figures[other.name] / figures[base.name])
        added.append(figures[other.name] - figures[base.name])
        costs.append(figures[base.name])
        if turn >= 4 and time.monotonic() - begin > seconds:
            break
    return {"pairs": len(ratios), "base_ns": statistics.median(costs),
            "ratio": interval(ratios), "added_ns": interval(added)}
