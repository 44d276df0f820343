#!/usr/bin/env python3
"""Programs that cannot be started, and programs that cannot carry the probe."""
import os
import shutil
import subprocess

from clitest import TARE, Skip, compile_c, expect, main, normal, script, tare

ANSWER = "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 7; }\n"


def untraced(scratch, program):
    """It runs with its own status, and one sentence says why it is not traced."""
    done = tare("run", "-q", "--", program, cwd=scratch, status=7)
    assert done.stdout == b"ran\n", done
    return normal(done.stderr.decode(), scratch)


def refused(scratch, program, status, **more):
    done = tare("run", "-q", "--", program, cwd=scratch, status=status, **more)
    assert not [path for path in scratch.iterdir() if path.name.startswith("tare-run")]
    return normal(done.stderr.decode(), scratch)


def case_missing(scratch):
    text = refused(scratch, "no-such-command", 127)
    text += refused(scratch, "./no/such/file", 127)
    text += refused(scratch, "", 127)
    expect("missing", text)


def case_not_executable(scratch):
    script(scratch, "plain", "echo hello\n", 0o644)
    (scratch / "bin").mkdir()
    script(scratch / "bin", "only-here", "x", 0o644)
    text = refused(scratch, "./plain", 126)
    text += refused(scratch, "./bin", 126)
    text += refused(scratch, "only-here", 126, env={"PATH": f"{scratch}/bin"})
    expect("not_executable", text)


def case_foreign_binary(scratch):
    (scratch / "foreign").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xf7\x00" + bytes(100))
    (scratch / "garbage").write_bytes(b"\0\1\2\3 nothing\n")
    for name in ("foreign", "garbage"):
        (scratch / name).chmod(0o755)
    expect("foreign", refused(scratch, "./foreign", 126) + refused(scratch, "./garbage", 126))


def case_script_with_a_missing_interpreter(scratch):
    script(scratch, "lost", "#!/no/such/interpreter -x\nexit 0\n")
    expect("missing_interpreter", refused(scratch, "./lost", 127))


def case_script_without_an_interpreter(scratch):
    script(scratch, "bare", "echo ran $1\nexit 7\n")
    done = tare("run", "-q", "--", "./bare", "well", cwd=scratch, status=7)
    assert (done.stdout, done.stderr) == (b"ran well\n", b""), done


def case_scripts_are_traced(scratch):
    script(scratch, "sh-script", "#!/bin/sh\necho ran\nexit 7\n")
    script(scratch, "env-script", "#!/usr/bin/env python3\nprint('ran'); raise SystemExit(7)\n")
    assert untraced(scratch, "./sh-script") == ""
    assert untraced(scratch, "./env-script") == ""


def case_static(scratch):
    text = ""
    for name, flags in (("fixed", ["-static"]), ("fixed-pie", ["-static-pie"])):
        compile_c(scratch, name, ANSWER, *flags)
        text += untraced(scratch, f"./{name}")
    expect("static", text)


def case_musl(scratch):
    if not shutil.which("musl-gcc"):
        raise Skip("musl-gcc is not installed")
    compile_c(scratch, "musl", ANSWER, compiler="musl-gcc")
    expect("musl", untraced(scratch, "./musl"))


def case_32_bit(scratch):
    compile_c(scratch, "small", ANSWER, "-m32")
    expect("bits32", untraced(scratch, "./small"))


def case_sanitizer(scratch):
    text = ""
    for name, flags in (("shared", []), ("static", ["-static-libasan"])):
        compile_c(scratch, f"asan-{name}", ANSWER, "-fsanitize=address", *flags)
        text += untraced(scratch, f"./asan-{name}")
    compile_c(scratch, "tsan", ANSWER, "-fsanitize=thread")
    text += untraced(scratch, "./tsan")
    expect("sanitizer", text)


def case_sanitizer_of_clang(scratch):
    if not shutil.which("clang"):
        raise Skip("clang is not installed")
    compile_c(scratch, "asan", ANSWER, "-fsanitize=address", compiler="clang")
    expect("sanitizer_clang", untraced(scratch, "./asan"))


def case_undefined_behaviour_sanitizer_is_traced(scratch):
    compile_c(scratch, "ubsan", ANSWER, "-fsanitize=undefined")
    assert untraced(scratch, "./ubsan") == ""


def case_own_malloc(scratch):
    source = ANSWER + """
#include <stddef.h>
static char pool[1 << 20]; static size_t at;
void *malloc(size_t n) { void *p = pool + at; at += (n + 15) & ~(size_t)15; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
"""
    compile_c(scratch, "pool", source, "-fno-builtin", "-rdynamic")
    expect("own_malloc", untraced(scratch, "./pool"))


def case_setuid(scratch):
    if os.geteuid() != 0:
        raise Skip("needs root to make a program of another user")
    if subprocess.run(["findmnt", "-no", "OPTIONS", "-T", str(scratch)], stdout=subprocess.PIPE,
                      text=True).stdout.find("nosuid") >= 0:
        raise Skip("the scratch directory is mounted nosuid")
    compile_c(scratch, "raised", ANSWER)
    scratch.chmod(0o755)
    os.chown(scratch / "raised", 65534, 65534)
    (scratch / "raised").chmod(0o4755)
    expect("setuid", untraced(scratch, "./raised"))


def case_ordinary_programs_are_traced(scratch):
    """No false alarm for what people really run."""
    seen = 0
    for name in ("python3", "node", "bash", "sh", "git", "perl", "gcc", "redis-server", "sqlite3"):
        if shutil.which(name):
            done = tare("run", "-q", "--", name, "--version", cwd=scratch)
            assert b"untraced" not in done.stderr, (name, done.stderr)
            seen += 1
    assert seen > 0


def case_without_the_probe(scratch):
    shutil.copy(TARE, scratch / "tare")
    done = subprocess.run([scratch / "tare", "run", "-q", "--", "sh", "-c", "exit 7"], cwd=scratch,
                          stderr=subprocess.PIPE)
    assert done.returncode == 7, done
    expect("no_probe", done.stderr.decode())


def case_installed_layout(scratch):
    for folder in ("bin", "lib/tare"):
        (scratch / folder).mkdir(parents=True)
    shutil.copy(TARE, scratch / "bin" / "tare")
    shutil.copy(os.path.join(os.path.dirname(TARE), "libtare-probe.so"), scratch / "lib/tare")
    done = subprocess.run([scratch / "bin" / "tare", "run", "-q", "--", "sh", "-c", "echo $LD_PRELOAD"],
                          cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    want = (scratch / "lib/tare/libtare-probe.so").resolve()
    assert (done.stdout.decode().strip(), done.stderr) == (str(want), b""), done


main(globals())
