#!/usr/bin/env python3
# suite: check
# limit: 60
"""The probe is a small guest: its bytes, what it links, what it exports, what it takes."""
import ctypes
import mmap
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402


def output(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True,
                          check=True).stdout


def small():
    stripped = tare.fresh("stripped")
    output("strip", "-o", stripped, tare.PROBE)
    size = stripped.stat().st_size
    print(f"the stripped probe has {size} bytes")
    assert size <= 330_000, f"{size} bytes"  # 30 KB of it for the memory of devices


def links_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", tare.PROBE))
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}, needed


def exports_the_map():
    differences = output(tare.ROOT / "tools/exports", tare.PROBE, tare.ROOT / "src/probe/entry/probe.map")
    assert not differences, differences


def needs_no_executable_stack():
    """And no relocation of its text: both are refused by hardened systems."""
    segments = output("readelf", "-lW", tare.PROBE)
    assert not re.search(r"GNU_STACK.*RWE", segments), "an executable stack"
    assert "TEXTREL" not in output("readelf", "-d", tare.PROBE), "text relocations"


def old_enough_symbols():
    """It runs with the oldest glibc we name, 2.17 and later being what x86-64 distributions have."""
    versions = re.findall(r"@GLIBC_(\d+)\.(\d+)", output("nm", "-D", tare.PROBE))
    newest = max((int(a), int(b)) for a, b in versions)
    assert newest <= (2, 36), f"needs glibc {newest}"


def resident(megabytes, options=None):
    """Largest resident size in bytes, as the kernel counts it for the program itself."""
    command = [tare.program("resident"), megabytes]
    run = tare.plain(command) if options is None else tare.traced(command, options)
    assert run.status == 0, run.err.decode()
    return int(run.out.split()[1]) * 1024


def takes_little_memory():
    """Beside the program's own: private pages and the touched part of the ledger."""
    for megabytes, options in ((1, []), (100, []), (100, ["--rate", "65536"])):
        alone = min(resident(megabytes) for _ in range(3))
        with_probe = min(resident(megabytes, options) for _ in range(3))
        print(f"{megabytes} MB held: {alone} bytes resident alone, {with_probe} with the probe")
        assert with_probe - alone <= 16 << 20, f"{with_probe - alone} bytes added"


def addresses(run):
    """Bytes of address space in use, as `cat /proc/self/status` says."""
    assert run.status == 0, run.err.decode()
    return int(re.search(rb"VmSize:\s*(\d+) kB", run.out).group(1)) * 1024


def takes_little_address_space():
    """All of it counts when a program calls mlockall, and against RLIMIT_AS, touched or not."""
    command = ["cat", "/proc/self/status"]
    added = addresses(tare.traced(command)) - addresses(tare.plain(command))
    print(f"{added} bytes of address space added")
    assert added <= 4 << 20, f"{added} bytes of address space added"


def takes_no_more_than_the_ledger():
    """Every block sampled, the tables filled: still bounded, by the ledger's 64 MB and our own."""
    added = resident(200, ["--rate", "1"]) - resident(200)
    assert added <= 80 << 20, f"{added} bytes added"


def ledger_is_bounded():
    """At most 64 MB on the disk, every table filled."""
    run = tare.traced([tare.program("resident"), "200"], ["--rate", "1"])
    for path in tare.ledgers(run.directory):
        taken = path.stat().st_blocks * 512
        assert taken <= 64 << 20, f"{path.name} takes {taken} bytes of disk"


def cached(path):
    """Bytes of a file that the kernel keeps in memory, whoever has read or written them."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    size = path.stat().st_size
    pages = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
    with open(path, "rb") as file:
        address = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ,
                                            mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0)))
    assert libc.mincore(address, ctypes.c_size_t(size), pages) == 0, ctypes.get_errno()
    libc.munmap(address, ctypes.c_size_t(size))
    return sum(page & 1 for page in pages) * mmap.PAGESIZE


def holes_stay_holes():
    """What nobody has written is not made in memory either: it would count against a container's
    limit. The doctor has read every table by then."""
    run = tare.traced([tare.program("pairs"), 1000, 64])
    assert run.status == 0, run.err.decode()
    for path in Path(run.directory).glob("*.tare"):
        print(f"{cached(path)} bytes of {path.name} are in memory")
        assert cached(path) <= 2 << 20, f"{cached(path)} bytes of {path.name} are in memory"


tare.Cases().each({
    "small": small,
    "links_libc_alone": links_libc_alone,
    "exports_the_map": exports_the_map,
    "needs_no_executable_stack": needs_no_executable_stack,
    "old_enough_symbols": old_enough_symbols,
    "takes_little_memory": takes_little_memory,
    "takes_little_address_space": takes_little_address_space,
    "takes_no_more_than_the_ledger": takes_no_more_than_the_ledger,
    "ledger_is_bounded": ledger_is_bounded,
    "holes_stay_holes": holes_stay_holes,
})
