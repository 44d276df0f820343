#!/usr/bin/env python3
# suite: test
# limit: 600
"""A run from somebody else: whatever its ledgers name, no verb executes it, prints it, or waits for it."""
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import forging  # noqa: E402
import tare  # noqa: E402
from everyverb import all_verbs  # noqa: E402
from tare import ROOT, TARE, Skip, fresh, plain, traced  # noqa: E402

SECRET = "hunter2"
# It waits in each turn: a loop of 50 ms would be followed by as much of the interpreter's own work as would
# make it a loop that is over.
LEAK = '''
import time

kept = []


def remember(number):
    kept.append(bytearray(60_000))


for number in range(200):
    remember(number)
    time.sleep(0.002)
'''


NODE_LEAK = '''
const kept = [];
function remember(n) {
  kept.push(Buffer.alloc(60000, n));
}
let n = 0;
function turn() {
  remember(n);
  if (++n < 300) setImmediate(turn);
}
turn();
'''


def python_run(place):
    """An honest run of a script in `place`, whose report shows its lines and finds the line that stores."""
    script = place / "a-script-with-a-name-that-is-long-enough-to-hold-any-other.py"
    script.write_text(LEAK)
    done = traced(["python3", script], ["--rate", "16K"], directory=place / "run", cwd=place)
    assert done.status == 0, done.err
    return place / "run", script


def place_for(name):
    place = fresh(name)
    place.mkdir()
    return place


def bait(path, marker):
    path.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{marker}'\nexit 1\n")
    path.chmod(0o755)


def nothing_is_executed(language):
    """The program that the ledger names is the sender's, in the run directory."""
    place = place_for(f"forged-{language}")
    marker = place / "executed"
    if language == "node":
        run = node_run(place)
    else:
        run = python_run(place)[0]
    for name in (language, "python3", "node", "bash", "sh", "env", "xdg-open"):
        bait(run / name, marker)
    for ledger in tare.ledgers(run):
        forging.set_head(ledger, "program", f"/proc/self/cwd/run/{language}")
    # The reader stands beside the run, or in it with a PATH that leads there.
    for cwd, name, path in ((place, "run", os.environ["PATH"]), (run, ".", ":.:" + os.environ["PATH"])):
        all_verbs(name, cwd=cwd, env=tare.environment(PATH=path))
        assert not marker.exists(), (cwd, path[:3], marker.read_text())


def node_run(place):
    if not shutil.which("node"):
        raise Skip("no node")
    script = place / "leak.js"
    script.write_text(NODE_LEAK)
    done = traced(["node", script], directory=place / "run", cwd=place)
    assert done.status == 0, done.err
    return place / "run"


def honest_lines_are_shown():
    """Otherwise the cases below would pass by showing nothing at all."""
    run, script = python_run(place_for("honest"))
    said = {tuple(map(str, words[:3])): text for words, text in all_verbs(run)}
    shown = [words for words, text in said.items() if "kept.append(bytearray(60_000))" in text]
    for verb in ("report", "explain", "view"):
        assert any(words[0] == verb for words in shown), (verb, shown)
    assert ("export", "--format", "sarif") in shown, shown
    text = next(text for words, text in said.items() if words[0] == "report")
    assert "Stored at" in text, text
    script.write_text(LEAK.replace("60_000", "61_000"))
    for words, text in all_verbs(run):
        assert "kept.append(bytearray" not in text, words
    text = plain([TARE, "report", run]).out.decode()
    assert "(the source has changed since the run)" in text, text
    place = tare.report(run)["processes"][-1]["findings"][0]["allocated_at"][0]
    assert place["text"] is None and place["source_changed"] is True, place


def no_file_is_printed(name, files):
    """A path in the ledgers becomes that of a file of the reader's."""
    place = place_for("forged-source")
    run, script = python_run(place)
    secret = place / name
    secret.write_text(f"kept.append('{SECRET}')\n" * 40)
    forging.rename(run, script, secret, files)
    for words, text in all_verbs(run):
        assert SECRET not in text, (words, text[max(0, text.find(SECRET) - 300):][:600])


def what_was_never_run_is_not_recorded():
    """A file that changed while the program ran is not shown either."""
    place = place_for("rewritten")
    script = place / "rewriting.py"
    script.write_text(LEAK + f"\nopen(__file__, 'a').write('# {SECRET}\\n')\n")
    done = traced(["python3", script], ["--rate", "16K"], directory=place / "run")
    assert done.status == 0, done.err
    text = plain([TARE, "report", "-v", place / "run"]).out.decode()
    assert "(the source has changed since the run)" in text and "kept.append" not in text, text


def a_run_that_goes_on():
    """Its files are not recorded yet: its own directory shows their lines, a copy of it does not."""
    place = place_for("going-on")
    script = place / "waiting.py"
    script.write_text(LEAK + "\nprint('there', flush=True)\ninput()\n")
    command = [TARE, "run", "-q", "-o", place / "run", "--rate", "16K", "--", "python3", script]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=tare.environment())
    try:
        assert running.stdout.readline() == b"there\n"
        shutil.copytree(place / "run", place / "copy")
        here, there = (plain([TARE, "report", place / name]).out.decode() for name in ("run", "copy"))
    finally:
        running.communicate(b"\n", timeout=60)
    assert "waiting.py:8" in here and "waiting.py:8" in there, here + there
    assert "kept.append" in here and "kept.append" not in there, here + there


# ---- native modules ----

def native_run(name, *flags):
    """A place with a C program that was built and run in it."""
    place = place_for(name)
    source = ROOT / "tests/programs/truth.c"
    binary = tare.compile_program(source, place / "a-program-with-a-name-that-is-long-enough", "-O0", *flags)
    done = traced([binary], ["--rate", "4096"], directory=place / "run", cwd=place)
    assert done.status == 0, done.err
    return place, binary


def is_answered(run, **keywords):
    done = plain([TARE, "report", "--json", run], timeout=20, **keywords)
    assert done.status in tare.READABLE, done.err


def a_module_that_is_a_pipe():
    place, binary = native_run("pipe-module")
    os.mkfifo(place / "pipe")
    forging.rename(place / "run", binary, place / "pipe")
    is_answered(place / "run")


def a_debug_file_that_is_a_pipe():
    if not shutil.which("objcopy"):
        raise Skip("no objcopy")
    place = place_for("pipe-debug")
    binary = tare.compile_program(ROOT / "tests/programs/truth.c", place / "leak", "-O0")
    for words in (["--only-keep-debug", binary, place / "leak.debug"], ["--strip-all", binary],
                  [f"--add-gnu-debuglink={place / 'leak.debug'}", binary]):
        assert plain(["objcopy", *words]).status == 0, words
    done = traced([binary], ["--rate", "4096"], directory=place / "run")
    assert done.status == 0, done.err
    text = plain([TARE, "report", "--json", place / "run"]).out.decode()
    assert "truth.c" in text, text[:2000]  # an honest one is used
    (place / "leak.debug").unlink()
    os.mkfifo(place / "leak.debug")
    is_answered(place / "run")


def a_split_file_that_is_a_pipe():
    place, _ = native_run("pipe-split", "-gsplit-dwarf")
    split = list(place.glob("*.dwo"))
    if not split:
        raise Skip("the compiler splits nothing")
    for path in split:
        path.unlink()
        os.mkfifo(path)
    is_answered(place / "run")


def no_server_is_asked():
    """libdw would ask the servers of DEBUGINFOD_URLS for whatever build-id a ledger names."""
    place, binary = native_run("server", "-g0", "-s")
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        env = tare.environment(DEBUGINFOD_URLS=url, DEBUGINFOD_TIMEOUT=1, HOME=place)
        for gone in (False, True):
            if gone:
                binary.unlink()
            is_answered(place / "run", env=env)
            server.settimeout(0.2)
            try:
                server.accept()
            except TimeoutError:
                continue
            raise AssertionError("a server was asked")


tare.Cases().each({
    "python-is-not-executed": lambda: nothing_is_executed("python3"),
    "node-is-not-executed": lambda: nothing_is_executed("node"),
    "honest-lines-are-shown": honest_lines_are_shown,
    "no-secret-without-suffix": lambda: no_file_is_printed("shadow", "*.tare"),
    "no-secret-named-as-source": lambda: no_file_is_printed("secret.py", "*.tare"),
    "no-secret-without-record": lambda: no_file_is_printed("secret.py", "[0-9]*.tare"),
    "a-run-that-goes-on": a_run_that_goes_on,
    "changed-while-it-ran": what_was_never_run_is_not_recorded,
    "a-module-that-is-a-pipe": a_module_that_is_a_pipe,
    "a-debug-file-that-is-a-pipe": a_debug_file_that_is_a_pipe,
    "a-split-file-that-is-a-pipe": a_split_file_that_is_a_pipe,
    "no-server-is-asked": no_server_is_asked})
