#!/usr/bin/env python3
# suite: check
# limit: 60
"""The probe is a small guest: its bytes, what it links, what it exports, what it takes."""
import os
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
    assert size <= 300_000, f"{size} bytes"


def links_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", tare.PROBE))
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}, needed


def exports_the_map():
    differences = output(tare.ROOT / "tools/exports", tare.PROBE, tare.ROOT / "src/probe/probe.map")
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


def resident_of(command):
    """Largest resident size of a command, in bytes, as the kernel counts it."""
    pid = os.spawnve(os.P_NOWAIT, command[0], command, tare.environment())
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"{command}: {status}"
    return usage.ru_maxrss * 1024


def takes_little_memory():
    """Beside the program's own: private pages and the touched part of the ledger."""
    added = []
    for program, *words in (("truth",), ("sites",), ("storm", "8", "100000")):
        command = [str(tare.program(program)), *words]
        alone = tare.plain(["sh", "-c", 'exec "$@"', "sh", *command])
        assert alone.status == 0
        peak = resident_of(command)
        run = tare.traced(command)
        process = tare.root_process(run.report())
        added.append(process["resident_peak"] - peak)
        print(f"{program}: {peak} bytes resident alone, {process['resident_peak']} with the probe")
    assert max(added) <= 16 << 20, f"{max(added)} bytes added"


def takes_little_with_every_block():
    """Even when the live table is filled."""
    command = [str(tare.program("storm")), "8", "100000"]
    peak = resident_of(command)
    probe = tare.root_process(tare.traced(command, ["--rate", "1"]).report())["resident_peak"]
    assert probe - peak <= 64 << 20, f"{probe - peak} bytes added"


tare.Cases().each({
    "small": small,
    "links_libc_alone": links_libc_alone,
    "exports_the_map": exports_the_map,
    "needs_no_executable_stack": needs_no_executable_stack,
    "old_enough_symbols": old_enough_symbols,
    "takes_little_memory": takes_little_memory,
    "takes_little_with_every_block": takes_little_with_every_block,
})
