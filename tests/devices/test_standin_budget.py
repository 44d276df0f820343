#!/usr/bin/env python3
# suite: check
# limit: 120
"""--budget gpu:SIZE, with a stand-in of a device's allocator."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from standin import tensors  # noqa: E402
from tare import TARE, Cases, fresh, plain, report  # noqa: E402

LEAK = ("600", "102400", "0", "0", "5000")  # 100 KB in each of 600 steps, 200 steps per second
WARNING = "device memory will exceed the budget of 40.0 MB"
CLEAN = ("200", "0", "0", "0", "1000")


def run(command, *budgets):
    directory = fresh()
    options = [word for budget in budgets for word in ("--budget", budget)]
    done = plain([TARE, "run", "--no-report", "-o", directory, *options, "--", *command], timeout=60)
    assert done.status == 0, done.err
    return directory, done.err.decode()


def it_warns_and_keeps_a_diagnosis():
    directory, said = run([tensors(), *LEAK], "gpu:40M")
    warnings = [line for line in said.splitlines() if WARNING in line]
    assert len(warnings) == 1 and "are taken, and" in warnings[0], said
    assert said.count("flight.txt") == 1, said
    flight = json.loads((directory / "flight.json").read_text())
    device = flight["processes"][0]["devices"][0]
    assert 38 << 20 <= device["taken"] <= 50 << 20, device
    assert flight["processes"][0]["steps"]["count"] < 600
    first = (directory / "flight.txt").read_text().splitlines()[0]
    assert "of the budget of 40.0 MB of device memory are taken" in first, first
    notes = report(directory)["notes"]
    assert any("device memory will exceed the budget" in note for note in notes), notes
    assert any("flight recorder" in note for note in notes), notes


def the_hosts_budget_counts_no_device():
    """Growth on a device is not growth of the host: the other budget does not warn of it."""
    _, said = run([tensors(), *LEAK], "1G", "gpu:40M")
    assert WARNING in said, said
    assert " memory will exceed the budget of 1.0 GB" not in said, said


def a_budget_that_is_not_reached_is_silent():
    directory, said = run([tensors(), *CLEAN], "gpu:1G")
    assert "budget" not in said and not list(directory.glob("flight.*")), said
    assert not any("budget" in note for note in report(directory)["notes"])


def without_a_device_the_report_says_so():
    directory, said = run(["true"], "gpu:20G")
    assert "budget" not in said and not list(directory.glob("flight.*")), said
    notes = report(directory)["notes"]
    assert any("no device memory was measured, so the budget of 20.0 GB" in note for note in notes), notes


def a_wrong_size_is_refused():
    for wrong in ("gpu:", "gpu:many", "tpu:20G", "0"):
        done = plain([TARE, "run", "-o", fresh(), "--budget", wrong, "--", "true"])
        assert done.status == 2, (wrong, done.status)
        assert f'--budget needs a size such as 20G or gpu:20G, not "{wrong}"'.encode() in done.err, done.err


Cases().each({case.__name__: case for case in (
    it_warns_and_keeps_a_diagnosis, the_hosts_budget_counts_no_device, a_budget_that_is_not_reached_is_silent,
    without_a_device_the_report_says_so, a_wrong_size_is_refused)})
