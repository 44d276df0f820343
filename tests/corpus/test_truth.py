#!/usr/bin/env python3
# suite: check
"""The truth files say what the sources say: every named line exists and holds the named text."""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/gpu"))
import truth as gpu  # noqa: E402

score = gpu.score
NATIVE = ROOT / "corpus/native"
# Too many programs of several libraries for `make test`, or programs that need a GPU: only their truth
# files are checked there.
ORDINARY = ROOT / "corpus/ordinary"
WITHOUT_SUBSET = {ORDINARY, gpu.PROGRAMS}
FOLDERS = [*sorted({path.parent for path in (ROOT / "corpus").glob("*/*.truth")}), gpu.PROGRAMS]

# Words in a name or a source that would tell a reader (or a tool) the verdict; the names that
# frameworks give their own things do not.
TELLTALE = re.compile(r"leak(?!y_?relu)|\bclean|benign|plateau|fragment|undecided|"
                      r"retain(?!_graph)|unbounded|\blost\b", re.I)
REQUIRED = {"native", "retained", "undecided", "plateau", "fragmentation", "framework-cache",
            "clean"}


def sources(folder):
    return sorted(path for path in folder.iterdir() if path.suffix in (".c", ".cc", ".py", ".js", ".mjs"))


def owner(path, names):
    """The program that a source belongs to: its own, or NAME for a module NAME_part."""
    return next((name for name in sorted(names, key=len, reverse=True)
                 if path.stem == name or path.stem.startswith(name + "_")), None)


def wrong_pairs(truth, places, texts):
    """Messages for the places of a truth file that do not hold their texts."""
    if len(places) != len(texts):
        yield f"{len(places)} places and {len(texts)} texts"
        return
    for place, text in zip(places, texts):
        name, _, number = place.partition(":")
        path = truth.path.parent / name
        if not path.exists() or owner(path, [truth.program]) is None:
            yield f"{place} is in no source of its own"
            continue
        lines = path.read_text().splitlines()
        if not 1 <= int(number) <= len(lines) or text not in lines[int(number) - 1]:
            yield f"{place} does not hold {text!r}"


def wrong_truth(truth):
    values = truth.values
    if not set(truth.kinds) <= set(score.KINDS):
        yield f"unknown kind {truth.kinds}"
    if any(len(values[key]) > 1 for key in truth.KEYS
           if key not in ("line", "text", "store", "store-text")):
        yield "a key that must not repeat does"
    if len(values["why"]) != 1:
        yield "no reason is given"
    if truth.leaks != bool(values["line"]):
        yield "a leak needs its line, and nothing else has one"
    if any((kind in score.LEAKS) != truth.leaks for kind in truth.kinds):
        yield "it accepts a leak and no leak"
    if truth.leaks and any(truth.rates()) != bool(values["steps"]):
        yield "a leak with steps needs its rate, and one without cannot have it"
    if values["status"] and truth.status == 0:
        yield "a status is only given where it is not 0"
    if truth.rate and (values["rate-min"] or values["rate-max"]):
        yield "a rate is known, or its bounds are, not both"
    own = "unbounded-cache" in truth.kinds or "engine" in "".join(values["holder"])
    if truth.holder and not truth.stores() and not own:
        yield "what is held was stored somewhere, unless a framework itself has it"
    yield from wrong_pairs(truth, values["line"], values["text"])
    yield from wrong_pairs(truth, values["store"], values["store-text"])


def wrong_native(truths):
    kinds = [truth.kinds[0] for truth in truths]
    if len(truths) < 44:
        yield f"only {len(truths)} programs"
    if 2 * sum(t.leaks or t.kinds[0] == "undecided" for t in truths) > len(truths):
        yield "fewer than half are benign"
    if not REQUIRED <= set(kinds):
        yield f"no program for {REQUIRED - set(kinds)}"
    if sum("tare_step(" not in p.read_text() for p in sources(NATIVE)) < 6:
        yield "fewer than six programs without marks"


def wrong_ordinary(truths):
    if sum(not truth.leaks for truth in truths) < 40:
        yield "fewer than forty healthy programs"
    if sum(truth.leaks for truth in truths) < 12:
        yield "fewer than twelve leaks in phases"
    for truth in truths:
        if truth.leaks and truth.kinds[0] == "retained" and not (truth.stores() and truth.holder):
            yield f"{truth.name} has no store line or no holder"
        if truth.leaks != bool(truth.values["phase"]):
            yield f"{truth.name}: a leak needs its phase, and nothing else has one"
        if "undecided" not in truth.kinds and truth.status == 1:
            yield f"{truth.name} fails, and undecided is not accepted"


def wrong_folder(folder, truths):
    names = {truth.program for truth in truths}
    owners = {path.name: owner(path, names) for path in sources(folder)}
    if set(owners.values()) != names:
        yield f"sources and truth files do not pair up: {names ^ set(owners.values())}"
    if 3 * sum(not truth.leaks for truth in truths) < len(truths):
        yield "fewer than a third are benign"


def wrong_subset(folder, truths):
    if folder in WITHOUT_SUBSET:
        return
    lines = (folder / "subset.txt").read_text().splitlines()
    names = [line for line in lines if line and not line.startswith("#")]
    kind_of = {truth.name: truth.kinds[0] for truth in truths}
    required = REQUIRED if folder == NATIVE else {"retained", "clean"}
    if not set(names) <= set(kind_of):
        yield f"unknown: {set(names) - set(kind_of)}"
    elif not required <= {kind_of[name] for name in names}:
        yield f"no program for {required - {kind_of[name] for name in names}}"


def report(name, problems):
    problems = list(problems)
    print(f"{'FAILED' if problems else 'ok'} {name}")
    for problem in problems:
        print(f"    {problem}")
    return bool(problems)


def check_folder(folder):
    paths = sorted(folder.glob("*.truth"))
    kind = gpu.Truth if folder == gpu.PROGRAMS else score.Truth
    truths = [truth for path in paths for truth in kind.all(path)]
    yield from (report(f"truth/{folder.name}/{truth.name}".replace("@", ":"), wrong_truth(truth))
                for truth in truths)
    yield report(f"corpus/{folder.name}_pairs_up", wrong_folder(folder, truths))
    yield report(f"corpus/{folder.name}_subset", wrong_subset(folder, truths))
    yield report(f"corpus/{folder.name}_sources_do_not_tell", (
        f"{path.name}: {found.group(0)}" for path in sources(folder)
        for found in TELLTALE.finditer(path.name + "\n" + path.read_text())))
    if folder == NATIVE:
        yield report("corpus/native_covers_every_kind", wrong_native(truths))
    if folder == ORDINARY:
        yield report("corpus/ordinary_has_both_sides", wrong_ordinary(truths))


def main():
    failed = [bad for folder in FOLDERS for bad in check_folder(folder)]
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
