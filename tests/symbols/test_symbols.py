#!/usr/bin/env python3
# suite: check
# limit: 180
"""Native stacks in a report: the right file, line and function however the program was built, and
the best that can be said where debug information is missing, apart, or of another build."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "report"))
from ledgers import ROOT, SCRATCH, build, make, report, run_cases  # noqa: E402


def same(got, want):
    assert got == want, f"{got!r}, want {want!r}"


def places(directory, nth=0):
    return report(directory)["processes"][0]["sites"]["live"][nth]["allocated_at"]


def names_every_line(directory, lines):
    """`inlined` in `leak` in `main`, each with its line."""
    frames = places(directory)
    same([frame["function"] for frame in frames[:3]], ["inlined", "leak", "main"])
    same(frames[0]["line"], lines["leak"])
    same(frames[1]["line"], lines["leak"] + 6)
    assert all(frame["file"].endswith("/tests/report/make_ledger.c") for frame in frames[:3])
    same(places(directory, 1)[0]["line"], lines["table"])


def variant(name, compiler, *flags, link=()):
    def case():
        if not shutil.which(compiler):
            return f"{compiler} is not installed"
        names_every_line(*make(build(name, compiler, flags, link)))
    case.__name__ = name
    return case


def split_debug_information():
    program = build("split", flags=("-O2", "-g", "-gsplit-dwarf"))
    names_every_line(*make(program))


def a_separate_debug_file_by_its_link():
    program = build("linked", flags=("-O2", "-g"))
    debug = SCRATCH / "linked.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program], check=True)
    names_every_line(*make(program))


def a_separate_debug_file_by_its_build_id():
    """Also for a program that is gone: the debug file alone names its lines."""
    program = build("identified", flags=("-O2", "-g"))
    directory, lines = make(program)
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True).stdout
    build_id = notes.split("Build ID: ")[1].split()[0]
    kept = SCRATCH / "kept.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, kept], check=True)
    program.unlink()
    # A mount of our own over the system's directory; nobody else sees it.
    script = f"""mount -t tmpfs none /usr/lib/debug || exit 77
        mkdir -p /usr/lib/debug/.build-id/{build_id[:2]} || exit 77
        cp {kept} /usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug || exit 77
        "{os.environ['TARE']}" report "{directory}" """
    answer = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True)
    if answer.returncode not in (0, 1, 3) or answer.stderr.startswith("unshare:"):
        return "no mount of our own is to be had over /usr/lib/debug"
    assert f"make_ledger.c:{lines['leak']} in inlined" in answer.stdout, answer.stdout


def without_debug_information_functions_have_names():
    frames = places(make(build("bare", flags=("-O2", "-g0")))[0])
    same([frame["function"] for frame in frames[:2]], ["leak", "main"])
    same((frames[0]["file"], frames[0]["line"]), (None, None))


def without_symbols_modules_and_offsets_are_left():
    program = build("stripped", flags=("-O2", "-g0"), link=("-s",))
    frames = places(make(program)[0])
    assert frames[0]["function"].startswith("stripped+0x"), frames[0]


def no_debuginfo_server_is_asked():
    program = build("offline", flags=("-O2", "-g0"), link=("-s",))
    directory, _ = make(program)
    os.environ["DEBUGINFOD_URLS"] = "http://127.0.0.1:9/"
    trace = SCRATCH / "network"
    strace = shutil.which("strace")
    try:
        if strace:
            subprocess.run([strace, "-f", "-e", "trace=connect,socket", "-o", trace,
                            os.environ["TARE"], "report", directory], stdout=subprocess.DEVNULL)
            assert "AF_INET" not in trace.read_text(), trace.read_text()
        places(directory)
    finally:
        del os.environ["DEBUGINFOD_URLS"]
    return None if strace else "strace is not installed"


def cxx(name, compiler, *flags):
    def case():
        if not shutil.which(compiler):
            return f"{compiler} is not installed"
        part = SCRATCH / f"{name}.o"
        subprocess.run([compiler, "-std=c++17", *flags, "-c", "-o", part,
                        "tests/symbols/frames.cc"], cwd=ROOT, check=True)
        program = build(name, flags=("-O1", "-g"), extra=(part,), link=("-lstdc++",))
        directory, lines = make(program)
        frames = places(directory)  # the largest site
        same(frames[0]["function"], "shop::Cache<double>::add(double const&)")
        same(frames[0]["line"], lines["extra"])
        assert frames[0]["file"].endswith("/tests/symbols/frames.cc"), frames[0]
        same(frames[1]["function"], "extra_stack")
    case.__name__ = name
    return case


run_cases([
    variant("gcc_O0", "gcc", "-O0", "-g"),
    variant("gcc_O2", "gcc", "-O2", "-g"),
    variant("gcc_O2_dwarf4", "gcc", "-O2", "-g", "-gdwarf-4"),
    variant("gcc_O2_compressed", "gcc", "-O2", "-g", "-gz"),
    variant("gcc_fixed_address", "gcc", "-O2", "-g", "-fno-pie", link=("-no-pie",)),
    variant("gcc_no_build_id", "gcc", "-O2", "-g", link=("-Wl,--build-id=none",)),
    variant("gcc_frame_pointers", "gcc", "-O2", "-g", "-fno-omit-frame-pointer"),
    variant("clang_O0", "clang", "-O0", "-g"),
    variant("clang_O2", "clang", "-O2", "-g"),
    variant("clang_O2_dwarf4", "clang", "-O2", "-g", "-gdwarf-4"),
    split_debug_information, a_separate_debug_file_by_its_link,
    a_separate_debug_file_by_its_build_id,
    without_debug_information_functions_have_names, without_symbols_modules_and_offsets_are_left,
    no_debuginfo_server_is_asked,
    cxx("gxx_O0", "g++", "-O0", "-g"), cxx("gxx_O2", "g++", "-O2", "-g"),
    cxx("clangxx_O0", "clang++", "-O0", "-g"), cxx("clangxx_O2", "clang++", "-O2", "-g"),
])
