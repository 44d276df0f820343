#!/usr/bin/env python3
"""The answer about a program that uses the driver of a GPU says that device memory is not measured, and is
not clean. There is no GPU here: a library of the driver's name stands for it, which allocates on the host."""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
import tare  # noqa: E402

DRIVER = """#include <stdlib.h>
void *take(int count) { void *last = 0; for (int i = 0; i < count; i++) last = malloc(1 << 20); return last; }
"""
PROGRAM = """#include <tare/mark.h>
#include <stdlib.h>
void *take(int count);
int main(void)
{
    for (int i = 0; i < 100; i++) {
        tare_step(i);
        free(malloc(1000));
    }
    return take(20) == 0;
}
"""


def report_with(name):
    here = tare.fresh("gpu")
    here.mkdir(parents=True)
    (here / "driver.c").write_text(DRIVER)
    (here / "main.c").write_text(PROGRAM)
    for words in (["-shared", "-fPIC", "-o", name, "driver.c", f"-Wl,-soname,{name}"],
                  ["-o", "main", "main.c", f"-I{tare.ROOT}/include", f"./{name}", "-Wl,-rpath,$ORIGIN",
                   "-ldl"]):
        subprocess.run(["gcc", "-O0", *words], cwd=here, check=True)
    done = tare.traced([here / "main"])
    assert done.status == 0, done.err.decode()
    return done.report()


def noted(report):
    return any("uses a GPU" in note for process in report["processes"] for note in process["notes"])


def driver():
    report = report_with("libcuda.so.1")
    assert noted(report), report
    assert report["verdict"] == "undecided" and report["confidence"] == 0, report["answer"]
    said = "Host memory: no leak in 100 steps. Device memory: not measured."
    assert report["answer"] == said, report["answer"]


def another_library():
    report = report_with("libother.so.1")
    assert not noted(report), report
    assert report["verdict"] == "clean", report["answer"]


tare.Cases().each({"driver": driver, "another_library": another_library})
