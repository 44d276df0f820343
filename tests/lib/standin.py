"""Programs that use a stand-in of a device's allocator (tests/devices/), for machines without a device."""
import ctypes
import functools
import subprocess

import ledger
import tare

HERE = tare.ROOT / "tests" / "devices"


@functools.lru_cache(maxsize=None)
def tensors():
    """The program of tensors.c and its allocator, in a directory of their own."""
    here = tare.fresh("tensors")
    here.mkdir()
    library, program = here / "libstandin.so", here / "tensors"
    flags = ["gcc", "-std=gnu11", "-O1", "-g", f"-I{tare.ROOT}/include"]
    subprocess.run([*flags, "-fPIC", "-shared", "-o", library, HERE / "standin_allocator.c"], check=True)
    subprocess.run([*flags, "-o", program, HERE / "tensors.c", library, f"-Wl,-rpath,{here}", "-ldl"],
                   check=True)
    return program


def set_memory(directory, size):
    """Writes into the ledgers of a run how much memory each device has: the stand-in does not say."""
    for path in tare.ledgers(directory):
        read = ledger.Ledger(path)
        entry, kind = read.entry("devices"), ledger.STRUCTURES["device_record"]
        for i, record in enumerate(read.records("devices")):
            if not record.kind:
                continue
            with path.open("r+b") as file:
                file.seek(entry.offset + i * entry.record_size + kind.memory.offset)
                file.write(bytes(ctypes.c_uint64(size)))
