#!/usr/bin/env python3
# suite: test
# limit: 240
"""Whoever the next allocator is: live bytes right, the program unharmed, the allocator named."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from ledger import Ledger  # noqa: E402

PLACES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
ALLOCATORS = {
    "glibc": None,
    "jemalloc": "libjemalloc.so.2",
    "tcmalloc": "libtcmalloc_minimal.so.4",
    "mimalloc": "libmimalloc.so.2",
}


def find(library):
    for place in PLACES:
        if (Path(place) / library).exists():
            return str(Path(place) / library)
    raise tare.Skip(f"no {library}")


def surroundings(name):
    library = ALLOCATORS[name]
    return tare.environment(LD_PRELOAD=find(library)) if library else tare.environment()


def live_bytes_are_right(name):
    """The program adds up the sizes this very allocator says are usable."""
    run = tare.traced([tare.program("truth")], ["--rate", "4096"], env=surroundings(name))
    assert run.status == 0, run.err.decode()
    held, blocks = map(int, run.out.split())
    memory = tare.root_memory(run)
    ledger = Ledger(tare.ledgers(run.directory)[0])
    first, second = [s for s in ledger.steps() if s.ticked & 2][:2]
    between = second.live_bytes - first.live_bytes
    # An allocator may keep blocks of its own that came through the hooks before main began.
    assert between == held, f"{between} bytes between the marks, {held} held"
    assert held <= memory["live_bytes"] <= held + (1 << 20), memory["live_bytes"]
    assert blocks <= memory["live_blocks"] <= blocks + 1000, memory["live_blocks"]


def allocator_is_named(name):
    run = tare.traced([tare.program("truth")], env=surroundings(name))
    library = ALLOCATORS[name] or "libc.so.6"
    ledger = Ledger(tare.ledgers(run.directory)[0])
    assert library.split(".so")[0] in ledger.text(ledger.head.allocator), \
        ledger.text(ledger.head.allocator)
    named = tare.root_process(run.report())["measured"]["allocator"]
    assert library.split(".so")[0] in named, f"the report names {named}"


def program_is_unharmed(name):
    env = surroundings(name)
    for words in (["storm", "8", "20000"], ["endings", "thread_exit"], ["endings", "busy_thread"],
                  ["children", "storm"], ["children", "clone"], ["flow", "coroutines"],
                  ["flow", "threads"]):
        tare.same([tare.program(words[0]), *words[1:]], ["--rate", "1024"], env=env)


def nothing_is_immortal(name):
    run = tare.traced([tare.program("storm"), 4, 40000], ["--rate", "1"], env=surroundings(name))
    assert run.status == 0, run.err.decode()
    ledger = Ledger(tare.ledgers(run.directory)[0])
    assert ledger.lost("free_unseen") == 0, f"{ledger.lost('free_unseen')} releases unseen"
    assert len(ledger.live()) <= 16, f"{len(ledger.live())} blocks never died"


table = {}
for one in ALLOCATORS:
    table[f"{one}_live_bytes"] = lambda one=one: live_bytes_are_right(one)
    table[f"{one}_named"] = lambda one=one: allocator_is_named(one)
    table[f"{one}_unharmed"] = lambda one=one: program_is_unharmed(one)
    table[f"{one}_nothing_immortal"] = lambda one=one: nothing_is_immortal(one)
tare.Cases().each(table)
