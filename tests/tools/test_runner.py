#!/usr/bin/env python3
# suite: check
# limit: 120
"""tests/run itself, with scripts that crash, hang, leave a process behind or differ."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from tare import ROOT, SCRATCH, Cases  # noqa: E402

HEAD = """#!/usr/bin/env python3
# limit: LIMIT
# measured: MEASURED
import os, signal, subprocess, sys, time
sys.path.insert(0, ROOT + "/tests/lib")
from tare import Cases, judged
with open(__file__ + ".runs", "a") as file:
    file.write("x")
turn = os.path.getsize(__file__ + ".runs")
def good(): pass
"""
LEFT = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open("/dev/null", os.O_RDWR)
        [os.dup2(null, number) for number in range(3)]
        os.execve("/bin/sleep", ["left-behind", "SECONDS"], {})
    os._exit(0)
os.wait()
Cases().each({"good": good})
"""
# Every script says "measured: yes" unless it is named otherwise: only verdicts may be tried again.
SCRIPTS = {
    "passes": "Cases().each({'good': good})",
    "crashes": "print('ok good', flush=True); os.abort()",
    "hangs": "print('ok good', flush=True); time.sleep(100)",
    "hangs_below": "subprocess.run(['sleep', '1000'])",
    "wrong_status": "print('ok good'); sys.exit(5)",
    "asserts": "def bad(): assert turn > 1\nCases().each({'good': good, 'bad': bad})",
    "has_an_error": "def bad(): turn.nothing\nCases().each({'good': good, 'bad': bad})",
    "ends_in_an_error": "print('DIFFERS bad', flush=True); raise ValueError",
    "leaves_a_process": LEFT.replace("SECONDS", "1000"),
    "leaves_one_for_a_moment": LEFT.replace("SECONDS", "0.4"),
    "differs_and_leaves_one": "def bad(): judged(False)\n" + LEFT.replace("SECONDS", "1000").replace(
        '"good": good', '"bad": bad'),
    "differs_once": "def bad(): judged(turn > 1, 'the kind')\nCases().each({'good': good, 'bad': bad})",
    "differs_twice": "def bad(): judged(False, 'the kind')\nCases().each({'good': good, 'bad': bad})",
    "differs_then_crashes": "def bad(): judged(False)\nturn > 1 and os.abort()\nCases().each({'bad': bad})",
    "differs_unmeasured": "def bad(): judged(turn > 1)\nCases().each({'good': good, 'bad': bad})",
    "differs_and_fails": ("def bad(): assert turn > 1\ndef other(): judged(turn > 1)\n"
                          "Cases().each({'bad': bad, 'other': other})"),
    "is_skipped": "print('no such thing here'); sys.exit(77)",
}


def tree():
    """A tree with a copy of the runner and these scripts."""
    home = SCRATCH / "tree"
    (home / "tests/made").mkdir(parents=True)
    shutil.copy(ROOT / "tests/run", home / "tests/run")
    shutil.copytree(ROOT / "tests/lib", home / "tests/lib", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in SCRIPTS.items():
        path = home / "tests/made" / f"test_{name}.py"
        head = HEAD.replace("ROOT", repr(str(home))).replace("LIMIT", "3" if "hangs" in name else "30")
        path.write_text(head.replace("MEASURED", "no" if "unmeasured" in name else "yes") + text + "\n")
        path.chmod(0o755)
    return home


class Run:
    """One run of all scripts: the result of each, and how often it was started."""

    def __init__(self):
        home = tree()
        done = subprocess.run([home / "tests/run", "tests/made"], capture_output=True, text=True, timeout=100,
                              env={**os.environ, "BUILD": str(home / "build")}, check=False)
        self.text, self.status = done.stdout, done.returncode
        self.runs = {name: (home / f"tests/made/test_{name}.py.runs").stat().st_size for name in SCRIPTS}
        lines = re.findall(r"^(\S.*?) +tests/made/test_(\w+)\.py \(", done.stdout, re.M)
        self.said = {name: [word for word, other in lines if other == name] for name in SCRIPTS}


run = Run()


def outcome(name, *said):
    def case():
        assert run.said[name] == list(said), (run.said[name], run.text)
        assert run.runs[name] == len(said), run.runs[name]
    return case


def the_process_is_named_and_killed():
    found = re.findall(r"left behind: (\d+) sleep: left-behind 1000$", run.text, re.M)
    assert len(found) == 2, run.text
    for pid in found:
        assert not Path(f"/proc/{pid}").exists(), f"{pid} is still there"


def the_totals_count():
    """Passed cases are counted, and any failure fails the whole run."""
    assert run.status == 1, run.status
    assert re.search(r"^run twice: tests/made/test_differs_once\.py$", run.text, re.M), run.text
    assert "run twice: tests/made/test_crashes" not in run.text, run.text
    assert re.search(r"^12 passed, 14 failed, 1 skipped$", run.text, re.M), run.text[-200:]


def measured_scripts_judge_a_verdict():
    """Only verdicts may be measured twice: a script without verdicts must not say "measured: yes"."""
    found = 0
    for path in sorted((ROOT / "tests").glob("*/test_*.py")):
        if not re.search(r"^# measured: yes$", path.read_text(), re.M):
            continue
        found += 1
        helpers = re.findall(r"^from (\w+) import", path.read_text(), re.M)
        texts = [path, *(path.parent / f"{name}.py" for name in helpers)]
        assert any(re.search(r"\bjudged\(|\bDIFFERS\b", text.read_text()) for text in texts
                   if text.exists()), f"{path} judges no verdict"
    assert found > 30, found


AGAIN = "to be run again"
Cases().each({
    "passes": outcome("passes", "passed"),
    "a_crash_is_final": outcome("crashes", "FAILED (-6)"),
    "a_hang_is_final": outcome("hangs", "FAILED (time limit)"),
    "a_hang_below_is_final": outcome("hangs_below", "FAILED (time limit)"),
    "a_wrong_status_is_final": outcome("wrong_status", "FAILED (5)"),
    "an_assertion_is_final": outcome("asserts", "FAILED (1)"),
    "an_error_in_a_case_is_final": outcome("has_an_error", "FAILED (1)"),
    "an_error_in_the_script_is_final": outcome("ends_in_an_error", "FAILED (1)"),
    "a_process_left_is_final": outcome("leaves_a_process", "FAILED (left 1 process behind)"),
    "a_process_left_beside_a_verdict_is_final":
        outcome("differs_and_leaves_one", "FAILED (left 1 process behind)"),
    "a_process_may_take_a_moment": outcome("leaves_one_for_a_moment", "passed"),
    "a_verdict_may_differ_once": outcome("differs_once", AGAIN, "passed"),
    "a_verdict_may_not_differ_twice": outcome("differs_twice", AGAIN, "FAILED (the verdict differs)"),
    "the_second_run_may_not_crash": outcome("differs_then_crashes", AGAIN, "FAILED (-6)"),
    "only_measured_scripts_are_tried_again":
        outcome("differs_unmeasured", "FAILED (the verdict differs)"),
    "a_failure_beside_a_verdict_is_final": outcome("differs_and_fails", "FAILED (1)"),
    "a_skipped_script_is_skipped": outcome("is_skipped", "skipped"),
    "the_process_is_named_and_killed": the_process_is_named_and_killed,
    "the_totals_count": the_totals_count,
    "measured_scripts_judge_a_verdict": measured_scripts_judge_a_verdict,
})
