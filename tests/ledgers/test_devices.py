#!/usr/bin/env python3
# suite: check
# limit: 30
"""The memory of a device, as an adapter counts it."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import ledger  # noqa: E402
from tare import TARE, Cases, ledgers, plain, program, traced  # noqa: E402

MARK = ledger.CLOCKS["mark"]


def state_and_readings():
    """What an adapter says of a device is its state now, and its reading at each step."""
    run = traced([program("device")])
    assert run.status == 0, run.err.decode()
    read = ledger.Ledger(ledgers(run.directory)[0])
    device, steps = read.records("devices")[0], [step for step in read.steps() if step.clock[MARK]]
    assert (device.kind, device.used, device.taken, device.most) == (1, 5000, 60000, 30000), device.used
    used = [step.gauges[ledger.GAUGES["device_used"]] for step in steps[:40]]
    assert used == [1000 * i if i <= 30 else 5000 for i in range(1, 41)], used
    assert b"4.9 KB are in use" in plain([TARE, "report", "-v", run.directory]).out


Cases().each({"state_and_readings": state_and_readings})
