#!/usr/bin/env python3
# suite: check
# limit: 120
"""Live bytes are the sum of usable sizes, to the byte: blocks of 8 threads, freed by others."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from ledger import Ledger  # noqa: E402


def live_bytes_are_exact(options=()):
    run = tare.traced([tare.program("truth")], options)
    assert run.status == 0, run.err.decode()
    bytes_held, blocks_held = map(int, run.out.split())
    memory = tare.root_memory(run)
    assert memory["live_bytes"] == bytes_held, \
        f"{memory['live_bytes']} bytes reported, {bytes_held} held"
    assert memory["live_blocks"] == blocks_held, \
        f"{memory['live_blocks']} blocks reported, {blocks_held} held"
    return run, bytes_held


def the_second_reader_agrees():
    run, held = live_bytes_are_exact()
    ledger = Ledger(tare.ledgers(run.directory)[0])
    assert ledger.live_bytes() == held, f"{ledger.live_bytes()} in the ledger, {held} held"
    first, second = [s for s in ledger.steps() if s.ticked & 2][:2]
    grown = second.live_bytes - first.live_bytes
    assert grown == held, f"{grown} between the marks, {held} held"


def every_block_sampled_sums_up():
    """With every byte sampled the live table itself is the truth."""
    run, held = live_bytes_are_exact(["--rate", "1"])
    ledger = Ledger(tare.ledgers(run.directory)[0])
    lost = sum(ledger.lost(reason) for reason in ("live_full", "sites_full", "reentered"))
    sampled = sum(block.size for block in ledger.live().values())
    assert lost == 0 and sampled == held, f"{sampled} in the live table, {held} held, {lost} lost"


def objects_are_exact():
    """Between two marks nothing but what the C++ program kept; its names are demangled."""
    run = tare.traced([tare.program("objects")], ["--rate", "2000"])
    assert run.status == 0, run.err.decode()
    held, blocks, line = map(int, run.out.split())
    ledger = Ledger(tare.ledgers(run.directory)[0])
    first, second = [s for s in ledger.steps() if s.ticked & 2][:2]
    grown = second.live_bytes - first.live_bytes, second.live_blocks - first.live_blocks
    assert grown == (held, blocks), f"{grown} between the marks, {held} in {blocks} held"
    process = tare.root_process(run.report())
    names = {frame["function"] for site in tare.live_sites(process)
             for frame in site["allocated_at"] if frame["line"] == line}
    assert any("shapes::keeper<" in name for name in names), f"line {line} is in {names}"


def watched_blocks_stand_for_themselves():
    """Also a block that chance had chosen before realloc brought it into a watched class."""
    run = tare.traced([tare.program("growing"), "5000"], ["--rate", "2000"])
    assert run.status == 0, run.err.decode()
    ledger = Ledger(tare.ledgers(run.directory)[0])
    since = ledger.totals().watched_since
    large = [block for block in ledger.live().values() if 1600 <= block.size < 1700]
    assert len(large) > 4500, f"{len(large)} of 5000 blocks"
    first = min(block.birth for block in large if block.weight == block.size)
    assert any(0 < ordinal <= first for ordinal in since), f"not watched: the first was born at {first}"
    heavy = [block.weight for block in large if block.birth > first and block.weight != block.size]
    assert not heavy, f"{len(heavy)} of {len(large)} stand for more: {heavy[:5]}"


tare.Cases().each({
    "live_bytes_are_exact": live_bytes_are_exact,
    "live_bytes_do_not_depend_on_the_rate": lambda: live_bytes_are_exact(["--rate", "4096"]),
    "the_second_reader_agrees": the_second_reader_agrees,
    "every_block_sampled_sums_up": every_block_sampled_sums_up,
    "objects_are_exact": objects_are_exact,
    "watched_blocks_stand_for_themselves": watched_blocks_stand_for_themselves,
})
