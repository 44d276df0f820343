#!/usr/bin/env python3
# suite: check
# limit: 120
"""The probe leaves the program's allocator, descriptors, signals and interpreter as they are without it."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

PYTHON = """import gc, os, resource, sys, threading, warnings
print(gc.get_threshold(), gc.isenabled(), gc.get_freeze_count(), sys.getswitchinterval())
print(sys.flags, sys.getrecursionlimit(), sys.dont_write_bytecode, warnings.filters)
print(hash("a word") if os.environ.get("PYTHONHASHSEED") else "", threading.active_count())
print(os.open("/dev/null", 0), sys.gettrace(), sys.getprofile(), sys.excepthook is sys.__excepthook__)
print(len(os.sched_getaffinity(0)), resource.getrlimit(resource.RLIMIT_NOFILE), os.nice(0))
print(sys.path, sys.argv, sys.breakpointhook is sys.__breakpointhook__)
print(sorted(name for name in os.environ if name.startswith(("OMP_", "MKL_", "MALLOC_", "GLIBC_"))))
"""
NODE = """const v8 = require('v8');
console.log(v8.getHeapStatistics().heap_size_limit, process.execArgv, process.argv.length);
console.log(process.env.UV_THREADPOOL_SIZE, require('os').availableParallelism(), process.title);
console.log(require('fs').openSync('/dev/null') < 64, process.exitCode, process.uncaughtExceptionMonitor);
"""


def heap(*options):
    tare.same([tare.program("heap_state")], options)


def heap_when_off():
    guest = tare.plain([tare.program("heap_state")],
                       env=tare.environment(LD_PRELOAD=tare.PROBE, TARE_OFF="1", TARE_DIR="/nonexistent"))
    alone = tare.plain([tare.program("heap_state")])
    assert guest.out == alone.out, f"{guest.out.decode()} instead of {alone.out.decode()}"


def python():
    script = tare.fresh("script.py")
    script.write_text(PYTHON)
    tare.same([sys.executable, script], env=tare.environment(PYTHONHASHSEED="1"))


def python_when_off():
    """The adapter is loaded and calls a probe that found no run."""
    inject = Path(tare.PROBE).parent / "python/inject"
    guest = tare.plain([sys.executable, "-c", "print(list(range(10)))"],
                       env=tare.environment(LD_PRELOAD=tare.PROBE, TARE_DIR="/nonexistent",
                                            PYTHONPATH=inject))
    assert (guest.status, guest.out, guest.err) == (0, b"[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n", b""), \
        (guest.status, guest.out, guest.err)


def node():
    script = tare.fresh("script.js")
    script.write_text(NODE)
    tare.same(["node", script])


tare.Cases().each({
    "heap": heap,
    "heap_observed": lambda: heap("--observe"),
    "heap_at_every_sample": lambda: heap("--rate", "1"),
    "heap_when_off": heap_when_off,
    "python": python,
    "python_when_off": python_when_off,
    "node": node,
})
