"""The truth files of bench/gpu/programs: those of corpus/, with three more keys.

    needs         cuda (not with --device cpu), gcc, or Python packages; without them a program is skipped
    environment   variables for the program: NAME=VALUE ...
    refused       yes: the device refuses a request, and the report has that

A leak without a `rate` has the one that PyTorch, JAX or CuPy counts when the program runs without tare.
"""
import importlib.machinery
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "bench/gpu/programs"


def load_score():
    """corpus/score as a module: it has no suffix that import would know."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("score", str(ROOT / "corpus/score"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("score", loader))
    loader.exec_module(module)
    return module


score = load_score()


class Truth(score.Truth):
    """One way to run one program."""

    KEYS = (*score.Truth.KEYS, "needs", "environment", "refused")

    @property
    def needs(self):
        return " ".join(self.values["needs"]).split()

    @property
    def environment(self):
        return dict(word.split("=", 1) for word in " ".join(self.values["environment"]).split())

    @property
    def source(self):
        return next(path for path in self.path.parent.glob(f"{self.program}.*")
                    if path.suffix in (".c", ".py"))


def truths():
    """All programs in the order of their names, each in all its ways."""
    return [truth for path in sorted(PROGRAMS.glob("*.truth")) for truth in Truth.all(path)]
