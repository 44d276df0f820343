#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""However a Python program ends, what it leaked until then is found."""
from python_case import PYTHON, clocks, folder, judged, root, steps, tare

HEAD = """
import os, signal, sys, threading, time
import tare
kept = []
def work(turns, pause=0.002):
    for turn in range(turns):
        kept.append(bytearray(50000))  # KEPT
        bytearray(300000)
        tare.step()
        time.sleep(pause)
"""

ENDS = {
    "killed": ("work(200)\nos.kill(os.getpid(), signal.SIGKILL)", 137),
    "exception": ("work(200)\nraise KeyError('end')", 1),
    "exception_inside": ("def deep(n):\n    return work(200) or 1 / 0 if n == 0 else deep(n - 1)\n"
                         "deep(30)", 1),
    "os_exit": ("work(200)\nos._exit(7)", 7),
    "sys_exit": ("work(200)\nsys.exit(9)", 9),
    "interrupted": ("threading.Timer(1.0, signal.raise_signal, [signal.SIGINT]).start()\n"
                    "signal.signal(signal.SIGINT, signal.default_int_handler)\nwork(100000)", 130),
    "terminated": ("threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGTERM]).start()\nwork(100000)",
                   143),
    "aborted": ("work(200)\nos.abort()", 134),
    "thread_exits": ("def quit():\n    work(200)\n    sys.exit(3)\n"
                     "thread = threading.Thread(target=quit)\nthread.start()\nthread.join()", 0),
    "daemon_left": ("threading.Thread(target=work, args=(100000,), daemon=True).start()\n"
                    "time.sleep(1)\n", 0),
    "no_time_to_say_so": ("work(200)\nos.execv('/bin/true', ['true'])", 0),
}


def ends(text, status):
    run = tare.traced([PYTHON, folder(work=HEAD + text) / "work.py"])
    assert run.status == status, (run.status, run.err.decode()[-500:])
    process = next(p for p in run.processes() if p["steps"]["count"] > 100)
    judged(process["verdict"] == "retained", (process["verdict"], process["answer"]))
    finding = process["findings"][0]
    place = finding["allocated_at"][0]
    source = (HEAD + text).splitlines()
    judged("# KEPT" in source[place["line"] - 1], place)
    return process


def short():
    """Thirty steps in two seconds."""
    run = tare.traced([PYTHON, folder(work=HEAD + "work(30, 0.06)") / "work.py"])
    process = root(run)
    assert steps(run) == ("mark", 30), steps(run)
    judged(process["verdict"] in ("retained", "undecided"), process["answer"])
    assert clocks(run) == {"mark": 30}, clocks(run)


CASES = {name: (lambda text=text, status=status: ends(text, status))
         for name, (text, status) in ENDS.items()}
tare.Cases().each({**CASES, "short": short})
