"""TensorFlow.js on its own processor backend, a server of HTTP and the bare start, beside other profilers."""
import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

from measure import Inside, Way
from native import BUILD, heaptrack, tare

HERE = Path(__file__).resolve().parent / "loops"
PACKAGES = ("@tensorflow/tfjs@4.22.0", "autocannon@8")
PLACE = BUILD / "npm-bench"
START = 30e6   # nanoseconds
TENSOR = 100.0

COMPARISONS = (("plain", "tare"), ("plain", "--heap-prof"), ("plain", "heaptrack"))
BENCHES = {
    "tfjs train": (("tfjs_train.cjs", "6000"), {"tare": 1.03}, {}),
    "tfjs predict": (("tfjs_predict.cjs", "60000"), {"tare": 1.03}, {}),
    "tfjs tensor": (("tfjs_tensor.cjs", "400000"), {}, {"tare": TENSOR}),
    "HTTP server": (("http_server.cjs", "100000"), {"tare": 1.03}, {}),
    "node -e 0": (("-e", "0"), {}, {"tare": START}),
}


def prepare():
    """The packages, installed once under build/."""
    if not shutil.which("npm") or not shutil.which("node"):
        sys.exit("bench: no node or no npm")
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "npm-bench.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = PLACE / "complete"
        if made.exists() and made.read_text() == " ".join(PACKAGES):
            return
        (PLACE / "package.json").write_text('{"private": true}')
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *PACKAGES], cwd=PLACE,
                       check=True)
        made.write_text(" ".join(PACKAGES))


def ways(scratch):
    known = (Way("plain"), tare(scratch), heaptrack(scratch),
             Inside("--heap-prof", ("--heap-prof", "--heap-prof-dir", str(scratch))))
    for way in known:
        way.variables["NODE_PATH"] = str(PLACE / "node_modules")
    return {way.name: way for way in known}


def command(words, quick):
    program, *rest = words
    node = shutil.which("node") or "node"
    if program.startswith("-"):
        return [node, program, *rest]
    return [node, str(HERE / program), str(int(rest[0]) // 5) if quick else rest[0], *rest[1:]]
