#!/usr/bin/env python3
"""A program that uses the driver of a GPU is told that the device's memory is not measured. There is no GPU
here: a library of the driver's name stands for it, which allocates on the host as the driver does."""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
import tare  # noqa: E402

DRIVER = """#include <stdlib.h>
void *take(int count) { void *last = 0; for (int i = 0; i < count; i++) last = malloc(1 << 20); return last; }
"""
PROGRAM = """void *take(int count);
int main(void) { return take(20) == 0; }
"""


def noted(name):
    here = tare.fresh("gpu")
    here.mkdir(parents=True)
    (here / "driver.c").write_text(DRIVER)
    (here / "main.c").write_text(PROGRAM)
    for words in (["-shared", "-fPIC", "-o", name, "driver.c", f"-Wl,-soname,{name}"],
                  ["-o", "main", "main.c", f"./{name}", "-Wl,-rpath,$ORIGIN"]):
        subprocess.run(["gcc", "-O0", *words], cwd=here, check=True)
    done = tare.traced([here / "main"])
    assert done.status == 0, done.err.decode()
    return any("uses a GPU" in note for process in done.report()["processes"] for note in process["notes"])


def driver():
    assert noted("libcuda.so.1")


def another_library():
    assert not noted("libother.so.1")


tare.Cases().each({"driver": driver, "another_library": another_library})
