#!/usr/bin/env python3
# suite: check
# limit: 180
# measured: yes
"""tare live and tare top in a real terminal: tmux types the keys and reads the screen."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
from tare import PROGRAMS, SCRATCH, TARE, Cases, Skip, environment, fresh, judged, plain  # noqa: E402

WATCHED = PROGRAMS / "watched"
PROMPT = "ready>"


def fail(right, shown):
    assert right, shown


class Terminal:
    """A tmux of its own, with one shell in it."""

    def __init__(self, columns=80, rows=24, **variables):
        self.socket = str(fresh("tmux"))
        # The shell's own start-up files are not read, and its prompt is known.
        shell = ["env", f"PS1={PROMPT} ", "bash", "--norc", "--noprofile"]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, *shell,
                  env=environment(TERM="xterm-256color", **variables))
        self.until(PROMPT)

    def tmux(self, *words, env=None):
        done = subprocess.run(["tmux", "-S", self.socket, *map(str, words)], capture_output=True,
                              text=True, timeout=20, env=env or environment())
        assert done.returncode == 0, done.stderr
        return done.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.press("Enter")

    def until(self, part, seconds=20, absent=False, check=None):
        """Waits for a pattern on the screen, or for its going; returns the screen.

        `check` is `judged` where the pattern is a verdict, which may come later on a busy machine.
        """
        end = time.monotonic() + seconds
        while True:
            shown = self.screen()
            if bool(re.search(part, shown)) != absent:
                return shown
            if time.monotonic() >= end:
                (check or fail)(False, f"{'still' if absent else 'no'} {part!r} in:\n{shown}")
            time.sleep(0.1)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", columns, "-y", rows)

    def watcher(self):
        """The process that the shell has started."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        found = subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True).stdout.split()
        assert found, "nothing runs in the terminal"
        return int(found[0])

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, timeout=20)


class Run:
    """A program under tare in the background."""

    def __init__(self, *command):
        self.directory = fresh("watched")
        self.process = subprocess.Popen(
            [TARE, "run", "-q", "-o", self.directory, "--", *map(str, command)],
            env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not [p for p in self.directory.glob("*.tare") if p.name != "run.tare"]:
            assert time.monotonic() < end, "the program did not begin"
            time.sleep(0.05)

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=20)


class Both:
    """A run and a terminal, both gone at the end."""

    def __init__(self, *command, **size):
        self.command, self.size = command or (WATCHED, 100000, 5), size

    def __enter__(self):
        if not shutil.which("tmux"):
            raise Skip("there is no tmux here")
        self.run, self.terminal = Run(*self.command), None
        try:
            self.terminal = Terminal(**self.size)
        except BaseException:
            self.run.end()
            raise
        return self.run, self.terminal

    def __exit__(self, *_):
        self.terminal.close()
        self.run.end()


def watch(terminal, directory):
    terminal.type(f"clear; echo before; {TARE} live {directory}")
    return terminal.until(r"keep_result")


def check_restored(terminal):
    """What was there before is there again, nothing else, and the terminal is as shells want it."""
    shown = terminal.until(rf"(?s)before.*\n{PROMPT}")
    assert "Suspects" not in shown and "resident" not in shown, shown
    terminal.type("clear; stty -a; echo done=$?")
    modes = terminal.until("done=0")
    for mode in ("icanon", "echo", "icrnl", "onlcr"):
        assert re.search(rf"(?<![-\w]){mode}\b", modes), f"{mode} is off:\n{modes}"
    assert terminal.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").split() == ["0", "1"]


def shows_and_quits():
    with Both() as (run, terminal):
        watch(terminal, run.directory)
        shown = terminal.until(r"MB resident")  # at its very beginning a program has less
        for part in (r"tare live: .*watched", r"running +0:\d\d", r"step [\d,]+ by mark",
                     r"[\d.]+ MB resident", r"[\d.]+ MB live", r"1 process\b", r"so far: ",
                     r"Suspects: \d", r"Sites: \d+, by live", r"watched\.c:\d+ in keep_result"):
            assert re.search(part, shown), f"no {part!r} in:\n{shown}"
        assert re.search("[⠁-⣿]", shown), f"no curve in:\n{shown}"
        first = int(re.search(r"step ([\d,]+)", shown).group(1).replace(",", ""))
        time.sleep(1.5)
        later = int(re.search(r"step ([\d,]+)", terminal.screen()).group(1).replace(",", ""))
        assert later > first, f"step {first}, then {later}"
        terminal.press("q")
        check_restored(terminal)
        assert run.process.poll() is None, "the program has ended with its watcher"


def finds_the_leak():
    with Both() as (run, terminal):
        watch(terminal, run.directory)
        shown = terminal.until(r"retained so far: .*4\.0 KB per step", 30, check=judged)
        judged(re.search(r"retained +4\.0 KB/step +\S*watched\.c:\d+ in keep_result", shown), shown)


def sorts_filters_and_opens():
    with Both() as (run, terminal):
        watch(terminal, run.directory)
        terminal.press("n")
        terminal.until("by line")
        terminal.press("s")
        terminal.until("by live")
        terminal.press("/")
        terminal.tmux("send-keys", "-l", "warm")
        shown = terminal.until("filter: warm_")
        assert "keep_result" not in shown.split("Sites:")[1], shown
        terminal.press("Enter")
        terminal.until("filter: warm  q quit")
        terminal.press("Tab", "Enter")
        shown = terminal.until("Esc back")
        assert re.search(r"Made at +\S*watched\.c:\d+ in warm_up", shown), shown
        assert re.search(r"called from \S*watched\.c:\d+ in main", shown), shown
        terminal.press("Escape")
        terminal.until("Sites:")
        terminal.press("Escape")
        terminal.until("work_space|keep_result")
        terminal.press("h")
        terminal.until("ask the program to collect")
        terminal.press("Escape")
        terminal.until("Sites:")
        terminal.press("q")
        check_restored(terminal)


def follows_the_size():
    with Both(columns=120, rows=40) as (run, terminal):
        watch(terminal, run.directory)
        terminal.resize(80, 24)
        shown = terminal.until(r"(?m)^q quit.*h help$")
        assert len(shown.splitlines()) == 24, shown
        terminal.resize(40, 10)
        shown = terminal.until(r"q quit s sort")
        assert "Suspects" in shown, shown
        terminal.resize(30, 8)
        terminal.until("needs 40x10, has 30x8")
        terminal.resize(80, 24)
        terminal.until("Sites:")
        terminal.press("q")
        check_restored(terminal)


def a_signal_restores_the_terminal():
    with Both() as (run, terminal):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGBUS):
            watch(terminal, run.directory)
            os.kill(terminal.watcher(), number)
            check_restored(terminal)


def stays_when_the_program_ends():
    with Both(WATCHED, 200, 5) as (run, terminal):
        terminal.type(f"clear; echo before; {TARE} live {run.directory}")
        terminal.until(r"(?m)ended +0:\d\d$", 30)
        time.sleep(1)
        shown = terminal.until(r"exit 0|exit")
        assert "so far" not in shown, shown
        terminal.press("c")
        terminal.until("no collection requested: the run has ended")
        terminal.press("q")
        check_restored(terminal)


def asks_for_a_collection():
    script = fresh("cycles.py")
    script.write_text("import time\n"
                      "def step():\n    a = [bytearray(20000)]\n    a.append(a)\n    return len(a)\n"
                      "for i in range(100000):\n    step()\n    time.sleep(0.005)\n")
    with Both(sys.executable, script) as (run, terminal):
        terminal.type(f"clear; echo before; {TARE} live {run.directory}")
        terminal.until("Sites:")
        time.sleep(1)
        terminal.press("c")
        terminal.until(r"asked \d process|collected")
        terminal.until(r"1 process collected", 15)
        terminal.press("q")
        check_restored(terminal)


def works_without_utf8():
    with Both(LC_ALL="C") as (run, terminal):
        shown = watch(terminal, run.directory)
        assert shown.isascii(), shown
        assert re.search(r"#{10}", shown), shown


def top_lists_what_is_running():
    with Both() as (run, terminal):
        terminal.type(f"clear; echo before; {TARE} top")
        terminal.until(r"Runs of tare on this machine: [1-9]")
        terminal.until(r"watched 100000")
        terminal.press("q")
        check_restored(terminal)
        line = [text for text in plain([TARE, "top", "--once"]).out.decode().splitlines()
                if str(run.directory) in text]
        assert line and re.search(r"^ *\d+ +[\d,]+ +[\d.]+ MB .*watched 100000", line[0]), line
        by_pid = plain([TARE, "live", "--once", run.process.pid])
        assert by_pid.status == 0 and b"keep_result" in by_pid.out, by_pid.err
    after = plain([TARE, "top", "--once"])
    assert str(run.directory).encode() not in after.out, after.out


def once_needs_no_terminal():
    with Both() as (run, _):
        time.sleep(1)
        shown = plain([TARE, "live", "--once", run.directory])
        assert shown.status == 0, shown.err
        assert b"\x1b" not in shown.out and b"Suspects" in shown.out, shown.out
        assert all(len(line) <= 80 for line in shown.out.decode().splitlines()), shown.out
        refused = plain([TARE, "live", run.directory])
        assert refused.status == 74 and b"are not a terminal" in refused.err, refused.err
    ended = plain([TARE, "live", "--once", run.directory])
    assert ended.status == 0 and b"ended" in ended.out, ended.out


def refusals_are_one_sentence():
    empty = fresh("empty")
    empty.mkdir()
    for words, status, part in (
            ([empty], 65, "this directory has no run of tare"),
            ([SCRATCH / "nowhere"], 74, "No such file"),
            ([os.getpid()], 74, "is not under tare"),
            ([999999999], 74, "process 999999999 does not exist"),
            ([], 2, "usage: tare live")):
        done = plain([TARE, "live", "--once", *words])
        assert done.status == status, (words, done.status, done.err)
        assert part in done.err.decode() and done.err.count(b"\n") == 1, done.err


Cases().each({
    "shows_and_quits": shows_and_quits,
    "finds_the_leak": finds_the_leak,
    "sorts_filters_and_opens": sorts_filters_and_opens,
    "follows_the_size": follows_the_size,
    "a_signal_restores_the_terminal": a_signal_restores_the_terminal,
    "stays_when_the_program_ends": stays_when_the_program_ends,
    "asks_for_a_collection": asks_for_a_collection,
    "works_without_utf8": works_without_utf8,
    "top_lists_what_is_running": top_lists_what_is_running,
    "once_needs_no_terminal": once_needs_no_terminal,
    "refusals_are_one_sentence": refusals_are_one_sentence,
})
