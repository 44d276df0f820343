#!/usr/bin/env python3
# suite: check
# limit: 240
"""Every sampled stack names the right functions, files and lines, however it was compiled."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

SOURCE = Path(__file__).with_name("stacks.c")
FLAGS = {
    "O0": ["-O0"],
    "O2": ["-O2"],
    "O2-frame-pointers": ["-O2", "-fno-omit-frame-pointer"],
    "O0-no-frame-pointers": ["-O0", "-fomit-frame-pointer"],
    "O2-fixed-address": ["-O2", "-no-pie", "-fno-pie"],
}


def chains(text):
    """The program's own account: a list of [(function, line), …], innermost first."""
    return [[(word, int(line)) for word, line in (row.split() for row in part.splitlines())]
            for part in text.strip().split("\n\n")]


def stack_of(site):
    """(function, line) of the site's frames in our source, innermost first; all must be in it."""
    return [(frame["function"], frame["line"]) for frame in site["allocated_at"]
            if frame["file"] and frame["file"].endswith("stacks.c")]


def check(compiler, flags):
    program = tare.compile_program(SOURCE, tare.fresh("stacks"), *flags, compiler=compiler)
    run = tare.traced([program], ["--rate", "2000"])
    assert run.status == 0, run.err.decode()
    wanted = chains(run.out.decode())
    process = tare.root_process(run.report())
    seen = [stack_of(site) for site in tare.live_sites(process)]
    ours = [stack for stack in seen if stack]
    for chain in wanted:
        assert chain in ours, f"no site has the stack {chain}\namong {ours}"
    for stack in ours:
        assert stack in wanted or stack[-1:] == wanted[-1][-1:], f"a stack that never was: {stack}"


tare.Cases().each({
    f"{compiler}-{name}": lambda compiler=compiler, flags=flags: check(compiler, flags)
    for compiler in ("gcc", "clang") for name, flags in FLAGS.items()
})
