"""Training loops of PyTorch, plain Python and the bare start, beside other memory profilers."""
import subprocess
from pathlib import Path

from measure import Inside, Way
from native import ROOT, heaptrack, tare

HERE = Path(__file__).resolve().parent / "loops"

PEERS = ("memray", "Scalene", "tracemalloc", "memory_profiler", "heaptrack")
COMPARISONS = tuple(("plain", way) for way in ("tare", *PEERS))
START = 30e6  # nanoseconds

BENCHES = {
    "torch MLP": (("mlp.py", "3000"), {"tare": 1.03}, {}),
    "torch 10 ms": (("transformer.py", "150"), {"tare": 1.02}, {}),
    "plain Python": (("churn.py", "2000"), {"tare": 1.05}, {}),
    "torch MLP, leaky": (("mlp.py", "3000", "keep"), {"tare": 1.10}, {}),
    "python -c pass": (("-c", "pass"), {}, {"tare": START}),
}
# Only tare is measured on these lines; other tools cannot be compared there.
ALONE = ("torch MLP, leaky",)


def interpreter():
    return ROOT / "build" / "venv-bench" / "bin" / "python"


def prepare():
    subprocess.run([ROOT / "tools" / "venv", "bench", HERE / "requirements.txt"], check=True)


def ways(scratch, python=None):
    """name: Way. memory_profiler polls from outside, as `mprof run` does: it needs no change."""
    profile = str((python or interpreter()).parent / "mprof")
    known = (Way("plain"), tare(scratch), heaptrack(scratch),
             Inside("memray", ("-m", "memray", "run", "-q", "-f", "-o", str(scratch / "memray.bin"))),
             Inside("Scalene", ("-m", "scalene", "run", "--memory", "-o", str(scratch / "s.json"))),
             Inside("tracemalloc", ("-X", "tracemalloc=1")),
             Way("memory_profiler", (profile, "run", "-o", str(scratch / "mprof.dat"))))
    return {way.name: way for way in known}


def command(words, quick, python=None):
    program, *rest = words
    python = str(python or interpreter())
    if program.startswith("-"):
        return [python, program, *rest]
    steps = str(int(rest[0]) // 5) if quick else rest[0]
    return [python, str(HERE / program), steps, *rest[1:]]
