#!/usr/bin/env python3
# measured: yes
# suite: check
# limit: 60
"""What measuring cost: in the JSON by kind, and in a line of the whole report."""
import ctypes
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))
import ledger  # noqa: E402
import schema  # noqa: E402
import tare  # noqa: E402
from tare import judged  # noqa: E402

RECORD = ctypes.sizeof(ledger.STRUCTURES["intervention_record"])
SCHEMA = json.loads((tare.ROOT / "docs/report.schema.json").read_text())
LEAK = """
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tare/mark.h>
struct entry { struct entry *next; char data[3000]; } *kept;
int main(void)
{
    const struct timespec pause = {.tv_nsec = 4000000};

    for (unsigned step = 0; step < 400; step++) {
        struct entry *entry = malloc(sizeof(*entry));

        memset(entry, 1, sizeof(*entry));
        entry->next = kept;
        kept = entry;
        nanosleep(&pause, NULL);
        tare_step(step);
    }
    return kept == NULL;
}
"""
PYTHON = """
import time
kept = []
for step in range(300):
    kept.append([dict(a=step) for _ in range(20)])
    kept.append(bytearray(20000))
    time.sleep(0.005)
"""


def run(command, *options):
    """The report of a run of it, whole and as text."""
    done = tare.traced(command, options)
    assert done.status == 0, done.err.decode()
    report = done.report()
    assert schema.errors(report, SCHEMA, SCHEMA) == [], schema.errors(report, SCHEMA, SCHEMA)
    text = tare.plain([tare.TARE, "report", "-v", done.directory]).out.decode()
    return report, " ".join(text.split())


def program():
    source = tare.fresh("leak").with_suffix(".c")
    source.write_text(LEAK)
    return tare.compile_program(source, tare.fresh("leak"))


def kinds_of(cost):
    return {one["kind"]: one for one in cost["kinds"]}


def check_sums(report):
    """The run's numbers are those of its processes; nothing takes longer than what contains it."""
    cost = report["cost"]
    known = [process["cost"] for process in report["processes"]]
    assert all(known), known
    for name in ("program_seconds", "copy_seconds", "pause_seconds", "wait_seconds", "bytes"):
        parts = sum(part[name] for part in known)
        assert abs(cost[name] - parts) <= 1e-6 + 1e-9 * parts, (name, cost[name], parts)
    spent = cost["program_seconds"] + cost["copy_seconds"]
    assert 0 < cost["look_seconds"] <= cost["tare_seconds"], cost
    assert 0 < cost["looks"], cost
    assert spent <= cost["run_seconds"] + 0.02, cost  # the kernel counts both in ticks or finer
    assert 0 < cost["longest_pause_seconds"] <= cost["pause_seconds"], cost


def a_search_costs_the_copy_and_a_trim_the_program():
    report, text = run([program()])
    kinds = kinds_of(report["processes"][0]["cost"])
    check_sums(report)
    judged({"trim", "holders", "last_round"} <= set(kinds), kinds)
    search, trim = kinds["holders"], kinds["trim"]
    assert search["copy_seconds"] > 0 and search["program_seconds"] > 0, search
    assert search["bytes"] > 0 and search["longest_pause_seconds"] > 0, search
    assert trim["count"] == 1 and trim["copy_seconds"] == 0 and trim["bytes"] == RECORD, trim
    assert kinds["last_round"]["pause_seconds"] > 0, kinds
    assert "Cost measuring took" in text and "for holders" in text and "tare run itself" in text, text


def python_is_asked_for_more():
    report, text = run([os.path.realpath(sys.executable), "-c", PYTHON])
    process = tare.root_process(report)
    kinds = kinds_of(process["cost"])
    check_sums(report)
    judged({"collect", "objects", "holders"} <= set(kinds), kinds)
    collect, objects = kinds["collect"], kinds["objects"]
    assert collect["program_seconds"] > 0 and collect["copy_seconds"] == 0, collect
    assert collect["bytes"] == RECORD * collect["count"], collect
    assert objects["count"] > 0 and objects["program_seconds"] > 0, objects
    assert "collection" in text and "on small objects" in text, text


def who_only_looks_costs_no_pause():
    report, text = run([program()], "--observe")
    cost = report["cost"]
    assert cost["pause_seconds"] == 0 and cost["copy_seconds"] == 0, cost
    assert set(kinds_of(cost)) <= {"last_round", "watch"}, cost
    assert "longest pause" not in text, text


tare.Cases().each({
    "a_search_costs_the_copy_and_a_trim_the_program": a_search_costs_the_copy_and_a_trim_the_program,
    "python_is_asked_for_more": python_is_asked_for_more,
    "who_only_looks_costs_no_pause": who_only_looks_costs_no_pause,
})
