#!/usr/bin/env python3
# suite: check
# limit: 240
"""However a program ends, forks, jumps or loads: same output, same status, a readable ledger."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

ENDINGS = ("return exit _exit quick_exit thread_exit main_thread_first busy_thread thread_key "
           "abort segv kill term").split()
CHILDREN = ("storm many vfork spawn clone environment").split()
FLOWS = "signals altstack jumps coroutines threads descriptors".split()


def check(command, rate=1, at_least=1):
    guest = tare.same(command, ["--rate", rate])
    processes = guest.processes()
    assert len(processes) >= at_least, f"{len(processes)} processes reported, not {at_least}"
    return processes


def loader():
    plugin = tare.compile_program(Path(__file__).with_name("plugin.c"), tare.fresh("plugin"),
                                  "-shared", "-fPIC")
    check([tare.program("flow"), "loader", plugin], rate=4096)


def reported_as_main_left_it(how):
    """The state at the end of main counts, not what destructors make of it: one block is held."""
    guest = tare.traced([tare.program("endings"), how], ["--rate", 1])
    memory = tare.root_memory(guest)
    assert (memory["live_bytes"], memory["live_blocks"]) == (200, 1), f"{memory}"


table = {f"ends_by_{how}": lambda how=how: check([tare.program("endings"), how])
         for how in ENDINGS}
table |= {f"children_by_{how}": lambda how=how: check([tare.program("children"), how])
          for how in CHILDREN}
table |= {f"flow_of_{how}": lambda how=how: check([tare.program("flow"), how], rate=4096)
          for how in FLOWS}
table["children_by_chain"] = lambda: check([tare.program("children"), "chain", "20"])
table["flow_of_loader"] = loader
table["flow_of_threads_every_block"] = lambda: check([tare.program("flow"), "threads"])
table["ends_too_small_for_a_ledger"] = lambda: tare.same([tare.program("endings"), "exit"])
table["reported_as_main_left_it"] = lambda: reported_as_main_left_it("return")
table["reported_as_it_was_at_exit"] = lambda: reported_as_main_left_it("exit")
tare.Cases().each(table)
