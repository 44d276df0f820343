#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 400
"""The plugin for pytest: leaky bodies fail with the finding, clean ones pass, every time."""
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from tare import ROOT, SCRATCH, TARE, Cases, Skip, environment, fresh, judged, plain, report  # noqa: E402

HERE = Path(__file__).resolve().parent
PACKAGE = Path(TARE).resolve().parent / "python"
COUNT = int(os.environ.get("COUNT", "10"))
cases = Cases()


def interpreter():
    """One that has pytest: this one, or one of our own under build/."""
    own = ROOT / "build" / "venv-pytest" / "bin" / "python"
    for python in (sys.executable, own):
        if os.path.exists(python) and plain([python, "-c", "import pytest"]).status == 0:
            return python
    try:
        venv.create(own.parents[1], with_pip=True)
        subprocess.run([own, "-m", "pip", "install", "-q", "pytest"], check=True, capture_output=True,
                       timeout=180)
    except (subprocess.SubprocessError, OSError):
        raise Skip("pytest is not installed and could not be fetched") from None
    return own


def pytest(*before, **more):
    """Runs the bodies; the outcome of each, and all that was printed."""
    home = fresh("bodies")
    home.mkdir()
    shutil.copy(HERE / "pytest_cases.py", home / "test_bodies.py")
    words = [interpreter(), "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "tare._pytest"]
    done = plain([*before, *words], cwd=home, timeout=100 + 20 * COUNT, **more,
                 env=environment(COUNT=COUNT, PYTHONPATH=PACKAGE, TMPDIR=SCRATCH))
    text = done.out.decode()
    return dict(re.findall(r"::(test_\S+) (PASSED|FAILED)", text)), text


def as_expected(outcomes, text):
    for number in range(COUNT):
        judged(outcomes[f"test_leaky[{number}]"] == "FAILED", text[-3000:])
        judged(outcomes[f"test_clean[{number}]"] == "PASSED", text[-3000:])
        judged(outcomes[f"test_cycles[{number}]"] == "PASSED", text[-3000:])
    judged(outcomes["test_within_its_limit"] == "PASSED", text[-3000:])
    for name in ("test_raises", "test_ends_by_itself", "test_misspelt",
                 "test_runs_more_steps_when_few_do_not_decide"):
        assert outcomes[name] == "FAILED", (name, text[-3000:])
    assert outcomes["test_unmarked_bodies_run_once"] == "PASSED", text[-3000:]


with cases.case("pytest_starts_itself_under_tare"):
    outcomes, text = pytest()
    as_expected(outcomes, text)
    assert text.count("starting pytest again under tare run") == 1, text[:2000]
    judged(re.search(r"test_bodies.py:\d+ in test_leaky: Grows by 3.9 KB per step", text), text[-3000:])
    assert "the body is wrong" in text and "the process of the test ended by itself" in text, text[-3000:]
    assert "not max_grouth" in text, text[-3000:]
    assert not list(SCRATCH.glob("tare-pytest-*")), "what was recorded is removed"

with cases.case("pytest_under_tare_is_used_as_it_is"):
    run = fresh()
    outcomes, text = pytest(TARE, "run", "-q", "-o", run, "--")
    as_expected(outcomes, text)
    assert "starting pytest again" not in text, text[:2000]
    commands = [process["command"] for process in report(run)["processes"]]
    assert sum("tare._pytest" in command for command in commands) == 1, "children of tests are forgotten"

cases.finish()
