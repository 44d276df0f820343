#!/usr/bin/env python3
# suite: test
# limit: 60
"""The memory of the GPU, as its driver tells it: the limit that the run records.

There is no GPU here: a library of our own stands for NVIDIA's NVML, with the functions that are asked for.
"""
import os
import subprocess
import sys
from pathlib import Path

from clitest import TARE, compile_c, main

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
import ledger  # noqa: E402  (found by the line above)

DEVICE = 4  # LIMIT_DEVICE
NVML = """
#include <string.h>
#include <unistd.h>
struct memory { unsigned long long total, free, used; };
struct process { unsigned pid; unsigned long long used; unsigned one, two; };
static long devices[2] = {1, 2};
int nvmlInit_v2(void) { return INIT; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = COUNT; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out) { *out = &devices[i]; return 0; }
int nvmlDeviceGetName(void *device, char *name, unsigned room)
{ strncpy(name, *(long *)device == 1 ? "First" : "Second", room); return 0; }
int nvmlDeviceGetMemoryInfo(void *device, struct memory *out)
{ *out = (struct memory){*(long *)device << 30, 0, 1 << 20}; return 0; }
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *list)
{
    *count = 0;
    if (*(long *)device == 2 && access(BUSY, F_OK) == 0) {
        FILE *file = fopen(BUSY, "r");
        *count = fscanf(file, "%u", &list[0].pid) == 1;
        fclose(file);
    }
    return 0;
}
"""
PROGRAM = 'echo $$ > "$1"; sleep 2.6'


def limits(scratch, init=0, count=1):
    """[(name, bytes, used)] of the devices that a run of two seconds has recorded."""
    folder, busy = scratch / f"nvml-{init}-{count}", scratch / f"busy-{init}-{count}"
    folder.mkdir()
    text = f'#include <stdio.h>\n#define INIT {init}\n#define COUNT {count}\n#define BUSY "{busy}"\n' + NVML
    compile_c(folder, "libnvidia-ml.so.1", text, "-shared", "-fPIC")
    run = folder / "run"
    done = subprocess.run([TARE, "run", "-q", "-o", run, "--", "sh", "-c", PROGRAM, "sh", busy], check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, timeout=50)
    assert done.returncode == 0, done.returncode
    book = ledger.Ledger(run / "run.tare")
    return [(book.text(one.path), one.bytes, one.used)
            for one in list(book.records("limits"))[:book.entry("limits").used] if one.kind == DEVICE]


def case_the_only_device_is_the_programs(scratch):
    assert limits(scratch) == [("First", 1 << 30, 1 << 20)]


def case_of_several_it_is_the_one_that_works_for_it(scratch):
    assert limits(scratch, count=2) == [("Second", 2 << 30, 1 << 20)]


def case_a_driver_that_does_not_work_is_none(scratch):
    assert limits(scratch, init=9) == []


main(globals())
