"""Programs in C: the malloc family itself, beside other allocators and their profilers."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from measure import Way

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
PLACES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
PROFILED = "prof:true,prof_active:true,lg_prof_sample:19,prof_final:false"

# What is compared with what.
COMPARISONS = (("plain", "tare"), ("plain", "jemalloc"), ("jemalloc", "jemalloc + tare"),
               ("jemalloc", "jemalloc + its profiler"), ("plain", "heaptrack"))

# name: (program and words, {way: goal for the ratio}, {way: goal for the nanoseconds added})
BENCHES = {
    "swap, 1 thread": (("swap", "1500000", "1", "10000"), {"tare": 1.10}, {}),
    "swap, 2 threads": (("swap", "1000000", "2", "10000"), {"tare": 1.10}, {}),
    "tight, 64 bytes": (("tight", "20000000", "64"), {}, {"tare": 3.0}),
}
QUICK = {"swap": 5, "tight": 10}  # the work is divided by this with --quick


def library(name):
    return next((str(Path(p) / name) for p in PLACES if (Path(p) / name).exists()), None)


class Tare(Way):
    """A new directory for each run, so that no run has to remove the directory of the one before."""
    runs = 0
    latest = None

    def words(self, command):
        Tare.runs += 1
        self.latest = f"{self.before[1]}{Tare.runs}"
        return [self.before[0], "run", "-q", "-o", self.latest, "--", *command]

    def cost(self):
        """What the latest run says measuring cost, as docs/report.schema.json has it; None: nothing."""
        done = subprocess.run([self.before[0], "report", "--json", self.latest], capture_output=True,
                              check=False)
        return json.loads(done.stdout).get("cost") if done.stdout else None


def tare(scratch):
    return Tare("tare", (str(BUILD / "tare"), str(scratch / "run")))


def heaptrack(scratch):
    found = shutil.which("heaptrack")
    return Way("heaptrack", (found or "", "-o", str(scratch / "heaptrack")),
               wants=None if found else "heaptrack")


def ways(scratch):
    """name: Way."""
    jemalloc = library("libjemalloc.so.2")
    gone = None if jemalloc else "libjemalloc2"
    preload = {"LD_PRELOAD": jemalloc or ""}
    known = (Way("plain"), tare(scratch), heaptrack(scratch),
             Way("jemalloc", variables=preload, wants=gone),
             Tare("jemalloc + tare", tare(scratch).before, preload, gone),
             Way("jemalloc + its profiler", (), {**preload, "MALLOC_CONF": PROFILED}, gone))
    return {way.name: way for way in known}


def prepare():
    """The programs as a user would build them."""
    place = BUILD / "bench"
    place.mkdir(parents=True, exist_ok=True)
    for source in sorted((ROOT / "bench").glob("*.c")):
        subprocess.run(["gcc", "-std=gnu11", "-O2", "-g", "-o", place / source.stem, source,
                        "-pthread"], check=True)


def command(words, quick):
    program, work, *rest = words
    work = str(int(work) // QUICK[program]) if quick else work
    return [str(BUILD / "bench" / program), work, *rest]
