#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""The code of a report runs: put where the report says, it compiles and runs, and nothing leaks there."""
import importlib.machinery
import importlib.util
import shutil
import sys
import textwrap
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "lib"), str(Path(__file__).resolve().parent)]
import cases_node  # noqa: E402
import cases_python  # noqa: E402
import environments  # noqa: E402
import tare  # noqa: E402
from tare import judged  # noqa: E402


def script(path):
    """A script without an ending, as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


TURNS = 3  # of a program whose store line is not known: on a busy machine there is no time for a search
fixes = script(tare.ROOT / "corpus/fixes")


def attempt(command, source, ending, code):
    """Runs a program, changes it as its report says, and runs it again."""
    program = tare.fresh("program") / ("program" + ending)
    program.parent.mkdir()
    program.write_text(source)
    for _ in range(TURNS):
        report = tare.report(tare.traced([*command, program]).directory)
        finding = fixes.worst(report)
        if finding and (finding["stored_at"] or not code):
            break
    judged(finding is not None, f"no leak: {report['answer']}")
    printed = finding["remedy"]["code"]
    judged((printed or "").startswith(code) if code else printed is None, finding["remedy"])
    if printed:
        outcome, why = fixes.tried(tare.TARE, report, [*command, program], tare.environment())
        assert outcome != "did not run", f"{why}: {printed}"
        judged(outcome == "cured", f"{outcome}, {why}: {printed}")


def python(name):
    before, inside, code = cases_python.CASES[name]
    attempt([sys.executable], cases_python.HEAD + before + cases_python.LOOP.format(
        inside=textwrap.indent(inside, "    "), after=""), ".py", code)


def whole(name):
    source, code = cases_python.WHOLE[name]
    attempt([sys.executable], source, ".py", code)


def tensors(name):
    interpreter = environments.ready("pytorch")
    before, inside, code, after = cases_python.TENSORS[name]
    attempt([interpreter], cases_python.TORCH.format(before=before, after=after,
                                                     inside=textwrap.indent(inside, "    ")), ".py", code)


def node(name):
    if not shutil.which("node"):
        raise tare.Skip("no node")
    before, inside, code = cases_node.CASES[name]
    program = cases_node.PROGRAM.format(before=before, inside=textwrap.indent(inside, "  "))
    attempt([shutil.which("node")], program, ".js", code)


def table():
    for run, cases in ((python, cases_python.CASES), (whole, cases_python.WHOLE),
                       (tensors, cases_python.TENSORS), (node, cases_node.CASES)):
        for name in cases:
            title = name.replace(" ", "_").replace(",", "")
            yield f"{run.__name__}_{title}", lambda run=run, name=name: run(name)


tare.Cases().each(dict(table()))
