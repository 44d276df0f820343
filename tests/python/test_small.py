#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""Small Python objects: counted always, followed on suspicion, with the right line; never in the way."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import python_case  # noqa: E402
import small_programs  # noqa: E402
import ledger  # noqa: E402
import tare  # noqa: E402
from tare import judged  # noqa: E402

WATCHED = ledger.GAUGES["python_watched"]
STUB = "def step():\n    pass\n"  # what `import tare` finds without the probe


def program(source):
    return python_case.folder(program=small_programs.BEGIN + source) / "program.py"


def run(source, steps=300, python=python_case.PYTHON, **environment):
    return tare.traced([python, program(source), steps], env=tare.environment(**environment))


def findings(process, note=False):
    return [f for f in process["findings"] if f["kind"] == "retained" and f["note"] == note]


def line_of(source, mark):
    lines = (small_programs.BEGIN + source).split("\n")
    return next(i + 1 for i, line in enumerate(lines) if mark in line)


def leaks(source, least, most, steps):
    process = python_case.root(run(source, steps))
    judged(process["verdict"] == "retained", process["verdict"])
    found = findings(process)
    places = [f["allocated_at"][0] for f in found]
    judged(places and all(p["file"].endswith("program.py") for p in places), places)
    if "# HERE" in source:
        judged(places[0]["line"] == line_of(source, "# HERE"), places[0])
    rate = sum(f["bytes_per_step"]["estimate"] for f in found)
    judged(0.8 * least <= rate <= 1.2 * most, f"{rate} is not within {least} to {most}")


def clean(source):
    process = python_case.root(run(source))
    judged(process["verdict"] in ("clean", "plateau", "gc-lag"), process["findings"])


def lags():
    process = python_case.root(run(small_programs.LAG))
    judged(process["verdict"] == "gc-lag", (process["verdict"], process["findings"]))
    judged(any("switched off" in note for note in process["notes"]), process["notes"])


def small_growth_is_a_note():
    process = python_case.root(run(small_programs.FEW))
    judged(process["verdict"] == "clean", process["findings"])
    judged(not findings(process), process["findings"])


def was_wrapped(done):
    pid = python_case.root(done)["pid"]
    mine = next(p for p in tare.ledgers(done.directory) if p.name.startswith(f"{pid}."))
    return any(step.gauges[WATCHED] for step in ledger.Ledger(mine).steps())


def not_wrapped(allocator, verdicts):
    """By malloc every object is seen anyway; behind a debugging layer they are only counted."""
    done = run(small_programs.LEAKS["ints_in_a_list"][0], PYTHONMALLOC=allocator)
    process = python_case.root(done)
    judged(process["verdict"] in verdicts, process["verdict"])
    assert not was_wrapped(done), "it was wrapped"
    assert ("undecided" in verdicts) == any("not followed" in note for note in process["notes"])


def pinned_arenas():
    """A peak of objects, of which every hundredth stays: whole arenas stay with them."""
    process = python_case.root(run(small_programs.PINNED, 120))
    judged(process["verdict"] == "fragmentation", (process["verdict"], process["findings"]))
    judged(any("arenas" in line for line in process["findings"][0]["evidence"]), process["findings"])


def arenas_are_nobodys():
    """A program that keeps nothing at the end of a step, but whose pool has grown meanwhile."""
    process = python_case.root(run("""
for turn in range(steps):
    many = [float(i) for i in range(1000 * (turn if turn < 200 else 200))]
    del many
    tare.step()
""", 260))
    judged(not [f for f in process["findings"] if f["kind"] in ("retained", "native")], process["findings"])


def rough(source, python):
    where = program(source)
    alone = tare.plain([python, where, 120],
                       env=tare.environment(PYTHONPATH=python_case.folder(tare=STUB)))
    guest = tare.traced([python, where, 120])
    assert was_wrapped(guest), "the objects were not followed"
    assert (guest.status, guest.out) == (tare.as_shell(alone.status), alone.out), \
        (guest.status, guest.out, guest.err[-2000:], alone.status, alone.out, alone.err[-2000:])


def cases():
    for name, (source, least, most) in small_programs.LEAKS.items():
        for steps in (40, 300):
            yield f"{name}_{steps}_steps", lambda a=(source, least, most, steps): leaks(*a)
    for name, source in small_programs.CLEAN.items():
        yield name, lambda source=source: clean(source)
    yield "cycles_wait_for_a_collector_that_is_off", lags
    yield "few_bytes_are_no_finding", small_growth_is_a_note
    yield "arenas_are_nobodys", arenas_are_nobodys
    yield "few_survivors_pin_arenas", pinned_arenas
    for allocator in ("malloc", "malloc_debug"):
        yield f"pythonmalloc_{allocator}", lambda a=allocator: not_wrapped(a, ["retained"])
    for allocator in ("debug", "pymalloc_debug"):
        yield f"pythonmalloc_{allocator}", lambda a=allocator: not_wrapped(a, ["undecided", "retained"])
    for version, python in python_case.interpreters().items():
        if version.count(".") == 1 and version.startswith("3.") and int(version[2:]) >= 9:
            for name, source in small_programs.ROUGH.items():
                yield f"{name}_{version}", lambda s=source, p=python: rough(s, p)


tare.Cases().each(dict(cases()))
