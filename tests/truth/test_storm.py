#!/usr/bin/env python3
# suite: check
# limit: 240
"""Threads free and grow each other's blocks until none is left: nothing may stay alive."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from ledger import Ledger  # noqa: E402


def nothing_is_immortal(threads, turns, rate):
    run = tare.traced([tare.program("storm"), threads, turns], ["--rate", rate])
    assert run.status == 0 and run.out == b"done\n", run.err.decode()
    memory = tare.root_memory(run)
    assert memory["live_bytes"] == 0 and memory["live_blocks"] == 0, \
        f"{memory['live_blocks']} blocks, {memory['live_bytes']} bytes said to be alive"
    ledger = Ledger(tare.ledgers(run.directory)[0])
    assert ledger.lost("free_unseen") == 0, f"{ledger.lost('free_unseen')} releases unseen"
    immortal = ledger.live()
    assert not immortal, f"{len(immortal)} blocks of the live table never died"
    weight = sum(site.born_weight - site.dead_weight for site in ledger.records("sites")
                 if site.key & 0xff == 1)
    assert weight == 0, f"sites still weigh {weight} bytes"
    births = sum(site.births for site in ledger.records("sites"))
    assert births > 0, "nothing was sampled: the test proves nothing"


tare.Cases().each({
    "one_thread_every_block": lambda: nothing_is_immortal(1, 100000, 1),
    "four_threads_every_block": lambda: nothing_is_immortal(4, 40000, 1),
    "eight_threads_some_blocks": lambda: nothing_is_immortal(8, 60000, 4096),
    "sixteen_threads_few_blocks": lambda: nothing_is_immortal(16, 60000, 262144),
})
