#!/usr/bin/env python3
# suite: check
"""The truth files say what the sources say: every named line exists and holds the named text."""
import importlib.machinery
import importlib.util
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
NATIVE = ROOT / "corpus/native"


def load_score():
    """corpus/score as a module: it has no suffix that import would know."""
    loader = importlib.machinery.SourceFileLoader("score", str(ROOT / "corpus/score"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("score", loader))
    loader.exec_module(module)
    return module


score = load_score()

# Words in a name or a source that would tell a reader (or a tool) the verdict.
TELLTALE = re.compile(r"leak|\bclean|benign|plateau|fragment|undecided|retain|unbounded|\blost\b",
                      re.I)
REQUIRED = {"native", "retained", "undecided", "plateau", "fragmentation", "framework-cache",
            "clean"}


def sources():
    return sorted([*NATIVE.glob("*.c"), *NATIVE.glob("*.cc")])


def wrong_pairs(truth, places, texts):
    """Messages for the places of a truth file that do not hold their texts."""
    if len(places) != len(texts):
        yield f"{len(places)} places and {len(texts)} texts"
        return
    for place, text in zip(places, texts):
        name, _, number = place.partition(":")
        path = NATIVE / name
        if path.stem != truth.name or not path.exists():
            yield f"{place} is in no source of its own"
            continue
        lines = path.read_text().splitlines()
        if not 1 <= int(number) <= len(lines) or text not in lines[int(number) - 1]:
            yield f"{place} does not hold {text!r}"


def wrong_truth(path):
    truth = score.Truth(path)
    values = truth.values
    if not set(truth.kinds) <= set(score.KINDS):
        yield f"unknown kind {truth.kinds}"
    if any(len(values[key]) > 1 for key in ("kind", "rate", "steps", "why")):
        yield "a key that must not repeat does"
    if len(values["why"]) != 1:
        yield "no reason is given"
    if truth.leaks != bool(values["line"]):
        yield "a leak needs its line, and nothing else has one"
    if any((kind in score.LEAKS) != truth.leaks for kind in truth.kinds):
        yield "it accepts a leak and no leak"
    if truth.leaks and bool(truth.rate) != bool(values["steps"]):
        yield "a leak with steps needs its rate, and one without cannot have it"
    yield from wrong_pairs(truth, values["line"], values["text"])
    yield from wrong_pairs(truth, values["store"], values["store-text"])


def wrong_corpus(truths):
    kinds = [truth.kinds[0] for truth in truths]
    if {p.stem for p in sources()} != {t.name for t in truths}:
        yield "sources and truth files do not pair up"
    if len(truths) < 44:
        yield f"only {len(truths)} programs"
    if 2 * sum(t.leaks or t.kinds[0] == "undecided" for t in truths) > len(truths):
        yield "fewer than half are benign"
    if not REQUIRED <= set(kinds):
        yield f"no program for {REQUIRED - set(kinds)}"
    if sum("tare_step(" not in p.read_text() for p in sources()) < 6:
        yield "fewer than six programs without marks"


def wrong_subset(truths):
    lines = (NATIVE / "subset.txt").read_text().splitlines()
    names = [line for line in lines if line and not line.startswith("#")]
    kind_of = {truth.name: truth.kinds[0] for truth in truths}
    if not set(names) <= set(kind_of):
        yield f"unknown: {set(names) - set(kind_of)}"
    elif not REQUIRED <= {kind_of[name] for name in names}:
        yield f"no program for {REQUIRED - {kind_of[name] for name in names}}"


def report(name, problems):
    problems = list(problems)
    print(f"{'FAILED' if problems else 'ok'} {name}")
    for problem in problems:
        print(f"    {problem}")
    return bool(problems)


def main():
    paths = sorted(NATIVE.glob("*.truth"))
    truths = [score.Truth(path) for path in paths]
    failed = [report(f"truth/{path.stem}", wrong_truth(path)) for path in paths]
    failed.append(report("corpus/covers_every_kind", wrong_corpus(truths)))
    failed.append(report("corpus/subset_covers_every_kind", wrong_subset(truths)))
    failed.append(report("corpus/sources_do_not_tell", (
        f"{path.name}: {found.group(0)}" for path in sources()
        for found in TELLTALE.finditer(path.name + "\n" + path.read_text()))))
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
