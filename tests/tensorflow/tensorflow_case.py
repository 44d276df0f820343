"""What the tests of TensorFlow and JAX share: a virtual environment, and runs of small programs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from python_case import (clocks, environments, folder, greeted, judged,  # noqa: E402,F401
                         ledger, root, steps, tare)

QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow", "JAX_PLATFORMS": "cpu"}


def interpreter():
    """Of the corpus's environment for TensorFlow, which has JAX too; made once, by a download."""
    return environments.ready("tensorflow")


def run(text, options=(), **environment):
    """The program under tare; it must end well and be greeted."""
    done = tare.traced([interpreter(), folder(train=text) / "train.py"], options, timeout=400,
                       env=tare.environment(**QUIET, **environment))
    assert done.status == 0, done.err.decode()[-3000:]
    assert greeted(root(done)), root(done)["notes"]
    return done


def own_ledger(done):
    """Of the process that was started."""
    pid = root(done)["pid"]
    return ledger.Ledger(next(p for p in tare.ledgers(done.directory)
                              if p.name.startswith(f"{pid}.")))


def traces(done):
    """[{function, call_line, argument, change, count, live}] of it."""
    mine = own_ledger(done)
    used = mine.entry("traces").used
    return [{"function": mine.text(t.function) if t.function else "", "line": t.line,
             "call_line": t.call_line, "argument": mine.text(t.argument) if t.argument else "",
             "change": t.change, "count": t.count, "live": t.live}
            for t in list(mine.records("traces"))[:used]]


def registries(done):
    """{name: record} of what the frameworks keep."""
    mine = own_ledger(done)
    return {mine.text(r.name): r for r in mine.records("registries") if r.name}


def pool(done):
    """The pool's record, or None."""
    found = [r for r in own_ledger(done).records("pools") if r.name]
    return found[0] if found else None
