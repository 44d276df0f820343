#!/usr/bin/env python3
# suite: check
# limit: 120
"""Programs that cannot carry the probe run all the same, and one sentence says why."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

PLAIN = """
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(100); p[0] = 'x'; printf("ran %c\\n", p[0]); free(p); return 7; }
"""
OWN_MALLOC = """
#include <stddef.h>
#include <stdio.h>
static char room[1 << 20] __attribute__((aligned(16))); static size_t used;
void *malloc(size_t n) { void *p = room + used; used += (n + 15) / 16 * 16; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
int main(void) { char *p = malloc(100); p[0] = 'x'; printf("ran %c\\n", p[0]); free(p); return 7; }
"""


def build(text, *flags, compiler="gcc"):
    source = tare.fresh("source").with_suffix(".c")
    source.write_text(text)
    return tare.compile_program(source, tare.fresh("program"), *flags, compiler=compiler)


def sentences(run):
    """What tare said of itself, line by line."""
    return [line for line in run.err.decode().splitlines() if line.startswith("tare: ")]


def untraced(program, word):
    """It runs as it would alone; exactly one sentence names the reason, now and in the report."""
    alone = tare.plain([program])
    if alone.status != 7:
        raise tare.Skip("this machine cannot run such a program")
    for options in ([], ["-q"]):
        guest = tare.traced([program], options)
        assert (guest.status, guest.out) == (7, alone.out), f"{guest.status}: {guest.err.decode()}"
        about = [line for line in sentences(guest) if word in line]
        assert len(about) == 1, f"one sentence with \"{word}\" expected: {guest.err.decode()}"
    later = tare.plain([tare.TARE, "report", guest.directory])
    assert later.status in tare.READABLE and word in (later.out + later.err).decode(), \
        f"the report does not say \"{word}\": {later.out.decode()}{later.err.decode()}"


def setuid_program():
    if os.geteuid() != 0:
        raise tare.Skip("making a setuid program needs root")
    program = build(PLAIN)
    tare.SCRATCH.chmod(0o755)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    untraced(program, "setuid")


def refused(command, status, *words, input=b""):
    """One sentence, that status, nothing else on standard output."""
    run = tare.traced(command, input=input)
    said = run.err.decode().splitlines()
    assert run.status == status, f"{run.status} instead of {status}: {said}"
    assert len(said) == 1 and said[0].startswith("tare: "), f"one sentence expected: {said}"
    assert all(word in said[0] for word in words), f"{words} expected in: {said[0]}"
    assert run.out == b""


def script(text, mode=0o755):
    path = tare.fresh("script")
    path.write_text(text)
    path.chmod(mode)
    return path


def script_without_interpreter():
    refused([script("#!/no/such/interpreter\n")], 127, "/no/such/interpreter")


def script_without_first_line():
    """A shell runs it; so do we."""
    run = tare.traced([script("echo by the shell\nexit 5\n")])
    assert (run.status, run.out) == (5, b"by the shell\n"), f"{run.status} {run.err.decode()}"


def child_untraced():
    """A traced shell starts a static program: it runs, and the report names it."""
    program = build(PLAIN, "-static")
    run = tare.traced(["sh", "-c", f"{program}; exit $?"])
    assert run.status == 7 and run.out == b"ran x\n", f"{run.status} {run.err.decode()}"


def switched_off():
    """TARE_OFF=1 in the environment: the program runs as if there were no tare."""
    run = tare.traced([tare.program("endings"), "return"], env=tare.environment(TARE_OFF="1"))
    assert run.status == 3 and not tare.ledgers(run.directory), "a ledger was made all the same"


def stripped_program():
    """No symbols, no debug information: no names, but every number."""
    program = shutil.copy(tare.program("truth"), tare.fresh("stripped"))
    subprocess.run(["strip", program], check=True)
    run = tare.traced([program])
    memory = tare.root_memory(run)
    assert memory["live_bytes"] == int(run.out.split()[0]), memory["live_bytes"]


tare.Cases().each({
    "static": lambda: untraced(build(PLAIN, "-static"), "statically"),
    "setuid": setuid_program,
    "malloc_inside": lambda: untraced(build(OWN_MALLOC, "-fno-builtin"), "its own malloc"),
    "address_sanitizer": lambda: untraced(build(PLAIN, "-fsanitize=address"), "sanitizer"),
    "address_sanitizer_clang": lambda: untraced(
        build(PLAIN, "-fsanitize=address", compiler="clang"), "sanitizer"),
    "thread_sanitizer": lambda: untraced(build(PLAIN, "-fsanitize=thread"), "sanitizer"),
    "32_bit": lambda: untraced(build(PLAIN, "-m32"), "32-bit"),
    "musl": lambda: untraced(build(PLAIN, compiler="musl-gcc"), "musl"),
    "missing_command": lambda: refused(["no-such-command-here"], 127, "no-such-command-here"),
    "missing_path": lambda: refused(["/no/such/program"], 127, "/no/such/program"),
    "directory_as_command": lambda: refused([tare.SCRATCH], 126, "directory"),
    "not_executable": lambda: refused([script("exit 0\n", 0o644)], 126, "not executable"),
    "script_without_interpreter": script_without_interpreter,
    "script_without_first_line": script_without_first_line,
    "untraced_child": child_untraced,
    "switched_off": switched_off,
    "stripped": stripped_program,
})
