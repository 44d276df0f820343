#!/usr/bin/env python3
# suite: check
# limit: 60
"""A child begins with nothing of what the probe held in its parent: one case for every part of the probe.

At the moment of a fork each part may hold something: a lock of a thread that the child does not have, a
count, a record of the parent's ledger. entry/parts.def names the function of each part that forgets it.
Which moment a program forks at is chance; so forking.c writes into the part's own variables what it may
hold there, forks, and compares in the child. Every line of parts.def with such a function needs a case here.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

PARTS = tare.ROOT / "src/probe/entry/parts.def"
MOST = 64  # bytes of a variable that are written; of a larger one the first

# part: the variables of its file that a child must find empty. "x=1": it must find the number 1 instead.
# "x/4": only the first 4 bytes are the part's to forget.
HELD = {
    "state": "ordinal=1",
    "thread_sums": "price last kept_number price_blocks put_off keeping",
    "modules": "ledger",
    "stack_native": "windows/1",
    "stack_python": "unloading noted",
    "python_code": "changing",
    "loops": "active chosen around chosen_unit turns turns_around passed unknown",
    "v8": "flag_taken",
    "stack_fold": "known",
    "handoff": "published known",
    "site": "made total peak_level peak_exact peak_number looking",
    "rate": "all_samples",
    "maps": "held bytes_of reserved",
    "names": "used held",
    "pool": "named",
    "phases": "busy current last_look counted ours longest full",
    "step": "clocks recorded ticked writing looking last_slice over last_time last_real silent_until "
            "last_reported last_samples last_resident last_modules cost",
    "small_count": "open",
    "small_objects": "tracking since last_step last_time live late refused",
    "gauges": "reported reported_at counts histories readings next_reading cost arenas_at fresh early opened",
    "autograd": "ring",
    "driver_blocks": "used making",
    "frameworks": "trace_count registry_count held",
    "headroom": "known",
    "cost": "usual probes",
    "refusal": "noted records",
    "holders": "copy hopeless task",
    "first_search": "records steps first_ordinal last_ordinal width=1 searches",
    "greeting": "noted missed",
    "asking": "holder charged asking last collector_off noted_collector",
    "snapshots": "recorded refused hurried",
    "requests": "serving seen_word pause_ns charged_ns written_ns searching=-1 waiting=-1 held_back=-1 "
                "follow",
    "pending": "asked asked_time",
    "hooks_driver": "noted",
    "adapter_js": "workers",
    "device_memory": "devices seen pinned choice peak_used",
    "marks": "name_count naming names",
}


def symbols():
    """{(file without .c, name): (offset, size)} of the variables; a name that all files see has ""."""
    done = subprocess.run(["readelf", "-sW", tare.PROBE], capture_output=True, text=True, check=True)
    found, file = {}, ""
    for words in map(str.split, done.stdout.splitlines()):
        if len(words) >= 7 and words[3] == "FILE":
            file = words[7].removesuffix(".c") if len(words) > 7 else ""
        if len(words) == 8 and words[3] == "OBJECT":
            found[file, words[7]] = int(words[1], 16), int(words[2], 0)
    return found


def word(place, size, kind, value):
    return f"{place:x}:{size:x}{kind}{value}"


def numbered(place, size, value):
    """A whole number in the child, byte by byte, lowest first."""
    return [word(place + i, 1, "?", f"{byte:x}")
            for i, byte in enumerate((value % (1 << 8 * size)).to_bytes(size, "little"))]


def cases_of(part, known):
    for text in HELD[part].split():
        name, limit, value = re.fullmatch(r"(\w+)(?:/(\d+))?(?:=(-?\d+))?", text).groups()
        assert (part, name) in known, f"{part}.c has no variable {name}: give this test the new name"
        place, size = known[part, name]
        size = min(size, int(limit or MOST))
        written = word(place, size, "=", "1")
        if value is None:
            yield f"{part}.{name}", [written, word(place, size, "?", "0")]
        else:  # only the lowest bytes, which are all that differ
            yield f"{part}.{name}", [written] + numbered(place, min(size, 4), int(value))


def special_cases(known):
    """Two that do not end with a variable at 0."""
    regions, used = known["pool", "regions"][0], known["pool", "regions_used"]
    yield "pool.regions", [word(regions, 1, "=", "1"), word(regions + 1, 7, "=", "0"),
                           word(used[0], 1, "=", "1"), word(used[0] + 1, 3, "=", "0"),
                           word(regions, 8, "?", "0")]
    # The filter of a child is empty; what was handed out before the probe found malloc must be in it again.
    cells = known["", "filter_cells"]
    yield "next.early", [word(known["next", "early_used"][0], 1, "=", "10"),
                         word(cells[0], cells[1], "?", "+")]


def ask(known, cases):
    program = tare.compile_program(Path(__file__).with_name("forking.c"), tare.fresh("forking"))
    run = tare.traced([program, *(",".join(words) for _, words in cases)], ["--rate", str(1 << 40)])
    assert run.status == 0, run.err.decode()
    answers = run.out.split()
    assert len(answers) == len(cases), run.out
    return {name: answer == b"1" for (name, _), answer in zip(cases, answers)}


def each_part_has_a_case():
    text = re.sub(r"/\*.*?\*/", "", PARTS.read_text(), flags=re.S)
    lines = re.findall(r"^\w+\((\w+), \w+, (\w+)\)", text, re.M)
    forked = {part for part, function in lines if function != "NONE"}
    assert forked, "no parts were found"
    covered = set(HELD) | {"next"}
    assert forked == covered, f"without a case: {forked - covered}; without a part: {covered - forked}"


def children_begin_with_nothing():
    known = symbols()
    if not known:
        raise tare.Skip("the probe has no symbols")
    cases = [case for part in HELD for case in cases_of(part, known)] + list(special_cases(known))
    wrong = [name for name, right in ask(known, cases).items() if not right]
    print(f"{len(cases)} variables")
    assert not wrong, f"still there after a fork: {' '.join(wrong)}"


tare.Cases().each({
    "each_part_has_a_case": each_part_has_a_case,
    "children_begin_with_nothing": children_begin_with_nothing,
})
