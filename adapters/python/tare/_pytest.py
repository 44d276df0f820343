"""A plugin for pytest: a test that fails when its body leaks.

    pytest -p tare._pytest

    @pytest.mark.tare(max_growth="1KB/step", steps=50)
    def test_predict(model):
        model.predict(batch)

The body runs as steps in its own child process, so that other tests do not disturb it. Then `tare
check` judges the child's ledger while the child waits. Without enough evidence it runs more steps, at
most MOST times as many. A body that raises fails as usual. Without the probe in the process, pytest
starts itself once more under `tare run`.
"""
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import pytest

from . import active, step
from ._doctor import program, untraced

MOST = 16          # times the number of steps asked for
STEPS = 50
AGAIN = "TARE_PYTEST"  # set once pytest has been started under tare
WAIT = 60          # seconds that one check may take


def pytest_configure(config):
    config.addinivalue_line("markers", "tare(max_growth=None, max_peak=None, allow=None, steps=50): "
                            "run the body as steps and fail when it leaks")


# ---- once more, under tare ----

def _marked(items):
    return [item for item in items if item.get_closest_marker("tare")]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session):
    config = session.config
    tare = program()
    if (active() or os.environ.get(AGAIN) or not tare or config.option.collectonly
            or hasattr(config, "workerinput") or not _marked(session.items)):
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture:
        capture.suspend_global_capture(in_=True)
        capture.stop_global_capturing()
    print("\ntare: starting pytest again under tare run", flush=True)
    sys.stdout.flush()
    os._exit(_run_under(tare, config.invocation_params))  # the other pytest has said everything


def _run_under(tare, params):
    """Runs a second pytest with the same arguments under tare, removes its run, and returns its status."""
    home = tempfile.mkdtemp(prefix="tare-pytest-")
    paths = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH")]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in paths if path))
    environment[AGAIN] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the other one as well
    try:
        return subprocess.call([tare, "run", "-q", "-o", os.path.join(home, "run"), "--",
                                sys.executable, "-m", "pytest", *map(str, params.args)],
                               env=environment, cwd=params.dir,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    finally:
        shutil.rmtree(home, ignore_errors=True)


# ---- one test ----

class _Child:
    """Runs steps on request, and reports the result."""

    def __init__(self, body):
        ask, self._ask = os.pipe()
        self._answer, answer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._ask)
            os.close(self._answer)
            self._serve(body, os.fdopen(ask, "rb"), os.fdopen(answer, "wb"))
        os.close(ask)
        os.close(answer)
        self._commands, self._answers = os.fdopen(self._ask, "wb"), os.fdopen(self._answer, "rb")

    @staticmethod
    def _serve(body, commands, answers):
        status = 1
        gc.freeze()  # objects from before do not count, and need not be examined each time
        try:
            for line in commands:
                wrong = None
                try:
                    for _ in range(int(line)):
                        body()
                        gc.collect()  # garbage that waits for the collector is not a leak
                        step()
                except BaseException as error:  # pylint: disable=broad-except
                    inside = error.__traceback__.tb_next  # from the body on
                    wrong = "".join(traceback.format_exception(
                        type(error), error, inside and inside.tb_next or inside))
                answers.write(json.dumps(wrong).encode() + b"\n")
                answers.flush()
            status = 0
        finally:
            os._exit(status)  # no exit handler of the parent runs twice

    def run(self, steps):
        """None, or what the body raised."""
        self._commands.write(b"%d\n" % steps)
        self._commands.flush()
        line = self._answers.readline()
        return json.loads(line) if line else "the process of the test ended by itself"

    def end(self):
        self._commands.close()
        self._answers.close()
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def _ledger(pid):
    directory = os.environ.get("TARE_DIR")
    found = sorted(Path(directory).glob(f"{pid}.*.tare")) if directory else []
    return found[-1] if found else None


def _forget(pid):
    """Removes its ledger, which was for this test alone."""
    for path in Path(os.environ.get("TARE_DIR", ".")).glob(f"{pid}.*"):
        if path.suffix in (".tare", ".mail"):
            path.unlink()


def _check(ledger, limits):
    words = [program(), "check", "--json"]
    for name, value in limits.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    done = subprocess.run([*words, str(ledger)], capture_output=True, env=untraced(), timeout=WAIT,
                          check=False)
    if done.returncode not in (0, 1, 3):
        pytest.fail("tare check: " + done.stderr.decode(errors="replace").strip(), pytrace=False)
    return done.returncode, json.loads(done.stdout)


def _place(line):
    """Where the code goes, as the report says it."""
    if not line.get("where"):
        return ""
    way = {"replace": "In place of", "after": "After", "before": "Before"}[line["where"]]
    at = line["last_line"] if line["where"] == "after" else line["line"]
    more = f"-{line['last_line']}" if line["where"] == "replace" and line["last_line"] > line["line"] else ""
    return f" {way} {os.path.basename(line['file'])}:{at}{more}:"


def _words(answer, steps):
    lines = [f"{answer['answer']} ({steps} steps)"]
    for line in answer["lines"]:
        if line["outcome"] != "passed":
            lines.append(f"  {line['text']}")
            place = _place(line)
            lines += [f"  Fix: {line.get('fix') or ''}{place}"] if line.get("fix") or place else []
            lines += [f"      {code}" for code in (line.get("code") or "").splitlines()]
    return "\n".join(lines)


def _judge(child, steps, limits):
    """Steps until there is enough evidence: None, or why the test fails."""
    done = 0
    status, answer = 3, None
    while status == 3 and done < MOST * steps:
        more = max(steps, done)  # twice as many each time
        wrong = child.run(more)
        done += more
        if wrong:
            return wrong
        ledger = _ledger(child.pid)
        if not ledger:
            return "tare left no record of the test's process"
        status, answer = _check(ledger, limits)
    return None if status == 0 else _words(answer, done)


def _limits(marker):
    limits = dict(marker.kwargs)
    steps = limits.pop("steps", STEPS)
    unknown = set(limits) - {"max_growth", "max_peak", "allow"}
    if unknown or marker.args:
        pytest.fail(f"pytest.mark.tare takes max_growth, max_peak, allow and steps, not "
                    f"{', '.join(sorted(unknown)) or 'operands'}", pytrace=False)
    return steps, {name: value for name, value in limits.items() if value is not None}


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    marker = pyfuncitem.get_closest_marker("tare")
    if not marker:
        return None
    steps, limits = _limits(marker)
    if not active() or not program():
        pytest.fail("the test must run under tare, and the probe is not here", pytrace=False)
    names = pyfuncitem._fixtureinfo.argnames  # pylint: disable=protected-access
    words = {name: pyfuncitem.funcargs[name] for name in names}
    child = _Child(lambda: pyfuncitem.obj(**words))
    try:
        wrong = _judge(child, steps, limits)
    finally:
        child.end()
        _forget(child.pid)
    if wrong:
        pytest.fail(wrong, pytrace=False)
    return True
