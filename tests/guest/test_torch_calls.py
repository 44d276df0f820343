#!/usr/bin/env python3
# suite: test
# limit: 1200
"""Random calls of PyTorch's operators give the same bits with and without the probe."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
import environments  # noqa: E402

HERE = Path(__file__).parent


def same(calls, seed):
    command = [environments.ready("pytorch"), HERE / "torch_calls.py", str(calls), str(seed)]
    alone = tare.plain(command, timeout=280)
    guest = tare.traced(command, timeout=280)
    assert alone.status == 0, alone.err.decode(errors="replace")[-2000:]
    assert tare.ledgers(guest.directory), "no ledger: nothing was compared"
    assert guest.status == 0, guest.err.decode(errors="replace")[-2000:]
    assert alone.out.count(b"\n") == calls, "the program stopped early"
    assert guest.out == alone.out, "a result differs"


tare.Cases().each({"600 calls": lambda: same(600, 1), "600 more": lambda: same(600, 2)})
