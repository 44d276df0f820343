#!/usr/bin/env python3
# suite: check
# limit: 120
"""Blocks of a device allocator (a stand-in), as PyTorch reports them: counted, sampled, judged."""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import ledger  # noqa: E402
from standin import tensors  # noqa: E402
from tare import TARE, Cases, ledgers, plain, traced  # noqa: E402

MARK = ledger.CLOCKS["mark"]


def totals_are_exact():
    """After every step the gauges have what is kept, to the byte, and the device's record agrees."""
    run = traced([tensors(), "50", "10240"])
    assert run.status == 0, run.err.decode()
    assert run.out == b"2049 reports\n", run.out  # the probe's look-up came after the first one
    read = ledger.Ledger(ledgers(run.directory)[0])
    steps = [step for step in read.steps() if step.clock[MARK]]
    used = [step.gauges[ledger.GAUGES["device_used"]] for step in steps[:50]]
    assert used == [10240 * (i + 1) for i in range(50)], used
    assert [step.gauges[ledger.GAUGES["device_blocks"]] for step in steps[:50]] == list(range(1, 51))
    device = read.records("devices")[0]
    assert (device.seen, device.used, device.blocks) == (1, 512000, 50), device
    assert device.most == 512000 + 4096 * 210, device.most


def another_device_is_counted_apart():
    run = traced([tensors(), "20", "4096", "2"])
    read = ledger.Ledger(ledgers(run.directory)[0])
    found = {record.index: record.used for record in read.records("devices") if record.kind}
    assert found == {2: 20 * 4096}, found


def a_refused_request_is_recorded():
    """What was asked for in vain, and what was in use then."""
    run = traced([tensors(), "20", "4096", "1", "123456789"])
    assert run.out == b"820 reports\n", run.out  # its look-up came after the first one; the refusal counts
    read = ledger.Ledger(ledgers(run.directory)[0])
    found = next(record for record in read.records("devices") if record.kind)
    assert (found.index, found.failed_bytes, found.failed_used) == (1, 123456789, 20 * 4096), found
    assert found.failed_taken == 2 << 20, found.failed_taken


def a_kept_tensor_is_found():
    """What is kept on the device is a leak of the device's memory, at its line, held by the list."""
    run = traced([tensors(), "400", "10240"])
    report = json.loads(plain([TARE, "report", "--json", run.directory]).out)
    process = report["processes"][0]
    finding = process["findings"][0]
    assert finding["kind"] == "retained", finding
    assert finding["memory"] == "device" and finding["device"] == 0, finding
    rate = finding["bytes_per_step"]
    assert rate["low"] <= 10240 <= rate["high"], rate
    assert any(place["function"] == "keep" for place in finding["allocated_at"]), finding["allocated_at"]
    assert "history" in finding["held_by"], finding["held_by"]
    assert not [other for other in process["findings"][1:] if not other["note"]], process["findings"]


def a_clean_loop_is_clean():
    run = traced([tensors(), "400", "0"])
    process = json.loads(plain([TARE, "report", "--json", run.directory]).out)["processes"][0]
    assert process["verdict"] == "clean", process["answer"]


def the_program_is_unchanged():
    program = tensors()
    alone = subprocess.run([program, "20", "4096"], capture_output=True, check=True, env=os.environ).stdout
    assert alone == b"819 reports\n" or alone == b"820 reports\n", alone


Cases().each({"totals_are_exact": totals_are_exact,
              "another_device_is_counted_apart": another_device_is_counted_apart,
              "a_refused_request_is_recorded": a_refused_request_is_recorded,
              "a_kept_tensor_is_found": a_kept_tensor_is_found,
              "a_clean_loop_is_clean": a_clean_loop_is_clean,
              "the_program_is_unchanged": the_program_is_unchanged})
