#!/usr/bin/env python3
# measured: yes
# suite: check
# limit: 240
"""Memory that a library's native code makes: named with package and version; lost there or in the program."""
import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import python_case
import tare
from tare import judged

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))
import schema  # noqa: E402

SOURCES = Path(__file__).resolve().parent / "leaky"
LIBRARY = "libkeeping-0a1b2c3d.so.1"
WRAPPER = """
from leaky import _leaky

def read(text):
    return _leaky.read_text(text, 20000)
"""
LOOP = """
import sys
sys.path.insert(0, {path!r})
import tare
import leaky
from leaky import _leaky
kept = []
pad = b"x"

def work(turn):
    {inside}

for turn in range(300):
    work(turn)
    tare.step()
"""


def compiled(*words):
    subprocess.run(["gcc", "-O2", "-g", "-shared", "-fPIC", *map(str, words)], check=True)


def package(parent, strip=False):
    """The package `leaky` 1.2.3 as pip would install it into `parent`, and what it needs."""
    headers = Path(sysconfig.get_paths()["include"])
    if not (headers / "Python.h").exists():
        raise tare.Skip("no headers of Python")
    module, library = parent / "leaky", parent / "leaky.libs"
    described = parent / "leaky-1.2.3.dist-info"
    for folder in (module, library, described):
        folder.mkdir(parents=True)
    extension = module / ("_leaky" + sysconfig.get_config_var("EXT_SUFFIX"))
    compiled("-o", library / LIBRARY, f"-Wl,-soname,{LIBRARY}", SOURCES / "keeping.c")
    compiled("-I", headers, "-o", extension, SOURCES / "module.c", library / LIBRARY,
             "-Wl,-rpath,$ORIGIN/../leaky.libs")
    (module / "__init__.py").write_text(WRAPPER)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: leaky\nVersion: 1.2.3\n\nText.\n")
    (described / "RECORD").write_text(f"leaky/__init__.py,,\nleaky/{extension.name},,\n"
                                      f"leaky.libs/{LIBRARY},,\n"
                                      "leaky-1.2.3.dist-info/METADATA,,\n")
    if strip:
        subprocess.run(["strip", library / LIBRARY, extension], check=True)
    return parent


def finding(inside, parent, options=()):
    """The first finding of a run, and the whole report."""
    program = python_case.folder(program=LOOP.format(path=str(parent), inside=inside)) / "program.py"
    run = tare.traced([sys.executable, program], options)
    assert run.status == 0, run.err.decode()
    report = run.report()
    document = json.loads((tare.ROOT / "docs" / "report.schema.json").read_text())
    assert schema.errors(report, document, document) == []
    found = python_case.root(run)["findings"]
    judged(len(found) > 0, report["answer"])
    return found[0], report, run


def installed(strip=False):
    return package(tare.fresh("env") / "lib" / "site-packages", strip)


def lost_in_a_library(strip):
    found, report, run = finding("leaky.read('x')", installed(strip))
    judged(found["kind"] == "native", found)
    assert found["allocated_at"][0]["text"] == "leaky.read('x')", found["allocated_at"]
    assert [frame["function"] for frame in found["library_frames"]] == ["read"], found["library_frames"]
    assert found["made_in"] == "leaky 1.2.3: _leaky.so → libkeeping.so keeping_read", found["made_in"]
    assert found["lost_in"] == "leaky 1.2.3"
    assert "in leaky 1.2.3, not in your code" in report["answer"], report["answer"]
    assert "Upgrade leaky 1.2.3" in found["remedy"]["text"], found["remedy"]
    text = tare.plain([tare.TARE, "report", run.directory]).out.decode()
    assert "  In        leaky 1.2.3: _leaky.so → libkeeping.so keeping_read\n" in text, text
    for form in ("--json", "-v"):
        hidden = tare.plain([tare.TARE, "report", "--redact", form, run.directory]).out.decode()
        assert "keeping" not in hidden and "leaky" not in hidden, hidden
    stacks = tare.plain([tare.TARE, "export", "--format", "collapsed", run.directory]).out.decode()
    way = r";work \(program.py:\d+\);read \(__init__.py:5\);.*;keeping_read"
    assert re.search(way, stacks), stacks[-3000:]
    return found["native_frames"]


def issue_has_the_librarys_names_alone():
    """What its authors need, and no path, line, argument or function of the program."""
    parent = installed()
    found, _, run = finding("leaky.read('x')", parent)
    judged(found["lost_in"] is not None, found)
    text = tare.plain([tare.TARE, "export", "--format", "issue", run.directory]).out.decode()
    judged("### Memory leak: 19.5 KB per step in leaky 1.2.3\n" in text, text)
    for part in ("keeping_read at keeping.c:", f" in {LIBRARY}+0x", " read at leaky/__init__.py:5\n",
                 "(code of the program)\n", "- leaky 1.2.3\n", f"- CPython {sys.version.split()[0]}\n",
                 f"tare run -v -- {Path(sys.executable).name} program.py\n",
                 "nothing refers to this memory any more"):
        assert part in text, (part, text)
    for part in (str(parent), str(tare.SCRATCH), "leaky.read(", "work", "<module>", str(SOURCES)):
        assert part not in text, (part, text)
    hidden = tare.plain([tare.TARE, "export", "--redact", "--format", "issue", run.directory]).out.decode()
    assert "leaky" not in hidden and "keeping" not in hidden and "program.py" not in hidden, hidden


def issue_of_memory_that_the_program_holds_is_empty():
    found, _, run = finding("kept.append(_leaky.hold_text(20000))", installed())
    judged(found["kind"] == "retained" and "_leaky.so hold_text" in found["made_in"], found)
    text = tare.plain([tare.TARE, "export", "--format", "issue", run.directory]).out.decode()
    assert text == "This run shows no leak inside a library.\n", text


def with_debug_information():
    frames = lost_in_a_library(strip=False)
    names = [(frame["symbol"], frame["near"]) for frame in frames]
    assert names[:3] == [("copy_of", False), ("keeping_read", False), ("read_text", False)], names
    calls = (SOURCES / "keeping.c").read_text().split("\n").index("    char *copy = copy_of(text, size);") + 1
    assert Path(frames[1]["file"]).name == "keeping.c" and frames[1]["line"] == calls, frames[1]
    assert all((frame["package"], frame["version"]) == ("leaky", "1.2.3") for frame in frames[:3]), frames


def stripped():
    """What a library does not export has the name of the nearest function before it, and says so."""
    frames = lost_in_a_library(strip=True)
    assert (frames[1]["symbol"], frames[1]["near"]) == ("keeping_read", False), frames
    assert frames[0]["near"] or frames[0]["symbol"] is None, frames[0]
    assert frames[0]["file"] is None and frames[2]["module"].startswith("_leaky."), frames


def own_extension_is_own_code():
    """The same module, built beside the program: the native code is named, and no package is blamed."""
    found, report, _ = finding("leaky.read('x')", package(tare.fresh("app")))
    judged(found["kind"] == "native", found)
    assert found["made_in"] == "_leaky.so → libkeeping.so keeping_read", found["made_in"]
    assert found["lost_in"] is None and "not in your code" not in report["answer"], report["answer"]


def lost_reference_is_named():
    """What the interpreter's allocator made for the extension. Its object may hold it."""
    found, _, _ = finding("_leaky.lose_list(20000)", installed())
    judged(found["kind"] in ("native", "retained"), found)
    assert found["made_in"] == "leaky 1.2.3: _leaky.so lose_list", found["made_in"]
    assert found["lost_in"] == (None if found["kind"] == "retained" else "leaky 1.2.3"), found


def objects_of_the_program_have_no_native_part():
    """Also where an extension has called the function that makes them."""
    found, _, _ = finding("_leaky.call(lambda: kept.append(pad * 20000))", installed())
    judged(found["kind"] == "retained", found)
    assert found["native_frames"] == [] and found["made_in"] is None, found["native_frames"]
    assert found["lost_in"] is None, found


def called_by_ctypes():
    """The program itself calls the library, and would have to release what it returns."""
    parent = installed()
    path = str(parent / "leaky.libs" / LIBRARY)
    (parent / "direct.py").write_text(f"""
import ctypes
make = ctypes.CDLL({path!r}).keeping_make
make.restype = None
make.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
""")
    found, report, _ = finding("from direct import make; make(b'x', 20000)", parent)
    judged(found["kind"] == "native", found)
    assert "libffi" in found["made_in"] or "_ctypes" in found["made_in"], found["made_in"]
    assert found["lost_in"] is None and "not in your code" not in report["answer"], found


tare.Cases().each({
    "with_debug_information": with_debug_information,
    "stripped": stripped,
    "issue_has_the_librarys_names_alone": issue_has_the_librarys_names_alone,
    "issue_of_memory_that_the_program_holds_is_empty": issue_of_memory_that_the_program_holds_is_empty,
    "own_extension_is_own_code": own_extension_is_own_code,
    "lost_reference_is_named": lost_reference_is_named,
    "objects_of_the_program_have_no_native_part": objects_of_the_program_have_no_native_part,
    "called_by_ctypes": called_by_ctypes,
})
