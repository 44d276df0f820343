#!/usr/bin/env python3
# suite: check
"""The score counts right: a stand-in for tare gives known answers, and the totals must follow."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Answers by program name; each run takes the next, the last one is repeated. None: no report.
STAND_IN = """#!/usr/bin/env python3
import json, pathlib, sys
answers = json.loads(pathlib.Path({answers!r}).read_text())
out, name = sys.argv[sys.argv.index("--json") + 1], pathlib.Path(sys.argv[-1]).name
counter = pathlib.Path({scratch!r}) / (name + ".runs")
turn = int(counter.read_text()) if counter.exists() else 0
counter.write_text(str(turn + 1))
mine = answers[name]
answer = mine[min(turn, len(mine) - 1)]
if answer is None:
    sys.exit("tare: cannot")
if answer == "CRASH":
    pathlib.Path(out).write_text(json.dumps({{"verdict": "clean", "processes": []}}))
    sys.exit(139)
pathlib.Path(out).write_text(answer if isinstance(answer, str) else json.dumps(answer))
sys.exit(answer.get("exit", 0) if isinstance(answer, dict) else 0)
"""

LEAK = "kind: native\nline: a.c:7\ntext: x\nrate: 1000\nsteps: 100\nwhy: w\n"
STORED = "kind: retained|unbounded-cache\nline: a.c:7\ntext: x\nstore: a.c:9\nstore-text: y\nwhy: w\n"
HELD = ("kind: retained\nline: a.c:7\ntext: x\nstore: a.c:9\nstore-text: y\nholder: cache\n"
        "rate-min: 800\nrate-max: 1200\nsteps: 100\nwhy: w\n")
PHASE = HELD.replace("steps: 100", "steps: 100\nphase: training")
BENIGN = "kind: plateau|clean\nwhy: w\n"
FAILS = "kind: undecided\nstatus: 1\nwhy: w\n"


def finding(kind, line, rate=1000.0, stored=None, interval=(0, 2000), **more):
    place = {"file": "/somewhere/a.c", "line": stored} if stored else None
    return dict({"kind": kind, "bytes_per_step": {"estimate": rate, "low": interval[0], "high": interval[1]},
                 "allocated_at": [{"file": "/somewhere/a.c", "line": line, "function": "f"}],
                 "stored_at": place}, **more)


def answer(verdict, *findings, **process):
    return {"verdict": verdict, "processes": [dict({"findings": list(findings)}, **process)]}


def held(rate, since=0, **process):
    """A finding that is right in all but perhaps its rate, by the clock that is given."""
    process = {"steps": process} if process else {}
    return [answer("retained", finding("retained", 7, rate, stored=9, held_by="main.cache[…]",
                                       since=since), **process)]


# name: (truth, answers, what the score must call it)
CASES = {
    "leak_right": (LEAK, [answer("native", finding("native", 7))], "found"),
    "leak_in_two_findings": (LEAK, [answer("native", finding("native", 7, 600),
                                           finding("native", 7, 450))], "found"),
    "leak_not_seen": (LEAK, [answer("clean")], "MISSED"),
    "leak_undecided": (LEAK, [answer("undecided")], "MISSED"),
    "leak_other_line": (LEAK, [answer("native", finding("native", 8))], "WRONG"),
    "leak_other_kind": (LEAK, [answer("retained", finding("retained", 7))], "WRONG"),
    "leak_rate_25_percent_high": (LEAK, [answer("native", finding("native", 7, 1250))], "WRONG"),
    "leak_and_an_innocent": (LEAK, [answer("native", finding("native", 7),
                                           finding("native", 30, 10))], "FALSE ALARM"),
    "leak_without_finding": (LEAK, [answer("native")], "WRONG"),
    "leak_once_missed": (LEAK, [answer("native", finding("native", 7)), answer("clean")], "WRONG"),
    "stored_line_is_enough": (STORED, [answer("unbounded-cache",
                                              finding("unbounded-cache", 99, stored=9))], "found"),
    "kinds_swap_between_runs": (STORED, [answer("retained", finding("retained", 7)),
                                         answer("unbounded-cache",
                                                finding("unbounded-cache", 7))], "WRONG"),
    "held_right": (HELD, held(1000), "found"),
    "held_rate_beyond_its_bounds": (HELD, held(1300), "WRONG"),
    "held_rate_below_its_bounds": (HELD, held(700), "WRONG"),
    "held_by_a_faster_clock": (HELD, held(250, clock="batch", count=400), "found"),
    "held_by_time_has_no_rate": (HELD, held(99, clock="time", count=9), "found"),
    "phase_after_a_load": (PHASE, held(1000, since=150, clock="loop", count=250), "found"),
    "phase_seen_late": (PHASE, held(1000, since=40, clock="optimizer", count=100), "found"),
    "phase_begins_with_the_load": (PHASE, held(1000, since=1, clock="loop", count=250), "WRONG"),
    "whole_run_after_a_load": (HELD, held(1000, since=150, clock="loop", count=250), "WRONG"),
    "benign_right": (BENIGN, [answer("plateau")], "right"),
    "benign_with_a_note": (BENIGN, [answer("clean", finding("retained", 7, 90, note=True))],
                           "right"),
    "benign_changes_its_name": (BENIGN, [answer("plateau"), answer("clean")], "WRONG"),
    "benign_accused": (BENIGN, [answer("retained", finding("retained", 7))], "FALSE ALARM"),
    "benign_accused_once": (BENIGN, [answer("clean"), answer("native")], "FALSE ALARM"),
    "benign_wrong_name": (BENIGN, [answer("fragmentation")], "WRONG"),
    "fails_as_it_should": (FAILS, [dict(answer("undecided"), exit=1)], "right"),
    "fails_and_is_called_clean": (FAILS, [dict(answer("clean"), exit=1)], "WRONG"),
    "fails_and_is_accused": (FAILS, [dict(answer("retained", finding("retained", 7)), exit=1)],
                             "FALSE ALARM"),
    "should_fail_and_does_not": (FAILS, [answer("undecided")], "WRONG"),
    "fails_by_itself": (BENIGN, [dict(answer("clean"), exit=1)], "WRONG"),
    "leak_in_a_failed_run": (LEAK, [dict(answer("native", finding("native", 7)), exit=1)], "WRONG"),
    "no_report": (BENIGN, [None], "BROKEN"),
    "a_program_that_crashed": (BENIGN, ["CRASH"], "BROKEN"),
    "not_json": (BENIGN, ["{"], "BROKEN"),
    "no_verdict_field": (LEAK, [{"processes": [{"findings": None}, 3]}], "MISSED"),
    "a_list_for_a_report": (LEAK, ["[]"], "MISSED"),
}


def run_score(scratch, names):
    corpus, programs = scratch / "corpus", scratch / "programs"
    corpus.mkdir(exist_ok=True)
    programs.mkdir(exist_ok=True)
    for name in CASES:
        (corpus / f"{name}.truth").write_text(CASES[name][0])
    answers = scratch / "answers.json"
    answers.write_text(json.dumps({name: CASES[name][1] for name in CASES}))
    tare = scratch / "tare"
    tare.write_text(STAND_IN.format(answers=str(answers), scratch=str(scratch)))
    tare.chmod(0o755)
    return subprocess.run([ROOT / "corpus/score", "--tare", tare, "--corpus", corpus, "--programs",
                           programs, "--runs", "2", *names],
                          capture_output=True, text=True)


def check(name, good, detail):
    print(f"{'ok' if good else 'FAILED'} {name}")
    if not good:
        print(f"    {detail}")
    return good


# Says clean where this many children of the score are busy, else fragmentation.
COUNTS_LOAD = """#!/usr/bin/env python3
import json, os, pathlib, sys
children = pathlib.Path(f"/proc/{{os.getppid()}}/task/{{os.getppid()}}/children").read_text().split()
verdict = "clean" if len(children) == 1 + int({load!r}) else "fragmentation"
pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps({{"verdict": verdict}}))
"""


def check_load():
    """--load N keeps N processes busy during a run, and none without it."""
    good = True
    for load in ("0", "2"):
        with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as name:
            scratch = Path(name)
            (scratch / "one.truth").write_text(BENIGN)
            (scratch / "tare").write_text(COUNTS_LOAD.format(load=load))
            (scratch / "tare").chmod(0o755)
            done = subprocess.run([ROOT / "corpus/score", "--tare", scratch / "tare", "--corpus", scratch,
                                   "--programs", scratch, "--runs", "1", "--load", load],
                                  capture_output=True, text=True, check=False)
        good &= check(f"score/load_{load}", done.stdout.startswith("right"), done.stdout + done.stderr)
    return good


def check_intervals():
    """A rate of 1000: in one run the printed interval holds it, in the other it does not."""
    CASES["interval_holds"] = (LEAK, [answer("native", finding("native", 7, 980, interval=(950, 1000)))],
                               "found")
    CASES["interval_misses"] = (LEAK, [answer("native", finding("native", 7, 980, interval=(960, 999)))],
                                "found")
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        done = run_score(Path(scratch), ["interval_holds", "interval_misses"])
    holds, misses = done.stdout.splitlines()[:2]
    return check("score/intervals", "outside" not in holds and "rate outside the interval" in misses and
                 "rate within the interval 1 of 2 (50%)" in done.stdout, done.stdout)


def main():
    good = True
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        done = run_score(Path(scratch), CASES)
    given = dict((name, outcome) for outcome, name in
                 re.findall(r"^(found|right|MISSED|WRONG|FALSE ALARM|BROKEN) +(\w+)", done.stdout, re.M))
    for name, (_, _, expected) in CASES.items():
        good &= check(f"score/{name}", given.get(name) == expected,
                      f"expected {expected}, got {given.get(name)}: {done.stderr}")
    count = {o: sum(e == o for _, _, e in CASES.values())
             for o in ("found", "MISSED", "right", "WRONG", "FALSE ALARM", "BROKEN")}
    leaks = sum(truth not in (BENIGN, FAILS) for truth, _, _ in CASES.values())
    total = (f"{leaks} leaks: {count['found']} found, {count['MISSED']} missed; "
             f"{len(CASES) - leaks} others: {count['right']} right; "
             f"{count['WRONG']} wrong, {count['FALSE ALARM']} false alarms; {count['BROKEN']} broken")
    good &= check("score/totals", f"\ncorpus: {total}\n" in done.stdout, done.stdout[-300:])
    with_holder = sum(truth in (HELD, PHASE) for truth, _, _ in CASES.values())
    whole = f"{with_holder} of {with_holder} (100%)"
    shares = f"store line {whole}, holder {whole}, rate within the interval "
    good &= check("score/shares", shares in done.stdout, done.stdout[-300:])
    good &= check("score/fails_when_anything_is_wrong", done.returncode == 1, done.returncode)
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        done = run_score(Path(scratch), ["leak_right", "benign_right"])
    good &= check("score/passes_when_all_is_right", done.returncode == 0, done.stdout)
    good &= check_load()
    good &= check_intervals()
    unnamed = {"no_store": ("found", answer("retained", finding("retained", 7, held_by="cache"))),
               "no_holder": ("found", answer("retained", finding("retained", 7, stored=9)))}
    for name, (outcome, said) in unnamed.items():
        CASES[name] = (HELD, [said], outcome)
        with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
            done = run_score(Path(scratch), [name])
        good &= check(f"score/{name}_is_below_the_goal", done.returncode == 1 and
                      done.stdout.startswith(outcome), done.stdout)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
