#!/usr/bin/env python3
# limit: 60
# suite: check
"""tools/rooms accepts a tree that follows the rules and names each kind of breach."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(os.environ["ROOT"]) / "tools" / "rooms"
GOOD = {
    "probe/core/raw.h": "",
    "probe/core/raw.c": '#include "probe/core/raw.h"\n',
    "probe/search/walk.c": '#include "probe/core/raw.h"\n',
    "ledger/model.c": '#include "ledger/model.h"\n#include "ledger/model_parts.h"\n',
    "ledger/model.h": "",
    "ledger/model_parts.h": '#include "ledger/model.h"\n',
}
failures = []


def run(files):
    with tempfile.TemporaryDirectory() as directory:
        for name, text in {**GOOD, **files}.items():
            path = Path(directory) / ("" if name.startswith(("tests/", "corpus/")) else "src") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([TOOL, "--root", directory], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(what, files, words):
    code, output = run(files)
    if (code != 0) != bool(words) or any(word not in output for word in words):
        failures.append(f"{what}: exit {code}, expected {words}, got: {output!r}")


backwards = {"probe/core/raw.c": '#include "probe/search/search.h"\n', "probe/search/search.h": ""}
cycle = {"base/a.h": "", "base/b.h": "", "base/a.c": '#include "base/b.h"\n',
         "base/b.c": '#include "base/a.h"\n'}
expect("a tree that follows the rules", {}, [])
expect("an include of a later room", backwards, ["probe/core may not look into probe/search"])
expect("an unknown room", {"probe/attic/x.h": "", "probe/core/x.c": '#include "probe/attic/x.h"\n'},
       ["probe/attic is a room"])
expect("a cycle of two modules", cycle, ["a cycle of includes: base/a base/b"])
expect("a cycle of three modules",
       {"base/a.h": '#include "base/b.h"\n', "base/b.h": '#include "base/c.h"\n', "base/c.h": "",
        "base/c.c": '#include "base/a.h"\n'}, ["a cycle of includes: base/a base/b base/c"])
expect("a crowded folder", {f"live/x{i}.c": "" for i in range(41)}, ["src/live:1: 41 source files"])
expect("a full folder", {f"live/x{i}.c": "" for i in range(40)}, [])
expect("a full folder with other files", {**{f"live/x{i}.c": "" for i in range(40)}, "live/README.md": "",
                                          "live/data": "no script"}, [])
expect("a crowded folder of tests", {f"tests/cli/test_{i}.py": "" for i in range(41)},
       ["tests/cli:1: 41 source files"])
expect("a crowded folder of scripts", {f"tests/cli/test_{i}": "#!/bin/sh\n" for i in range(41)},
       ["tests/cli:1: 41 source files"])
expect("programs to be judged", {f"corpus/python/leak_{i}.py": "" for i in range(41)}, [])
expect("a file outside the rooms", {"probe/stray.c": ""}, ["src/probe/stray.c:1: it is in no room"])
expect("an include of a later room of run",
       {"run/system/x.c": '#include "run/watch/watch.h"\n', "run/watch/watch.h": ""},
       ["run/system may not look into run/watch"])
for what, file, text, room in (
        ("a name of V8", "lines/x.c", 'const char *x = "_ZN2v87Isolate";', "js"),
        ("a function of CPython", "lines/x.c", 'find("PyObject_Malloc");', "python"),
        ("a call of dlsym", "lines/x.c", 'void *x = dlsym(NULL, "x");', "core"),
        ("an exported symbol", "lines/x.c", "EXPORT int x;", "entry"),
        ("an inner header of search", "serve/x.c", '#include "probe/search/walk.h"', "search")):
    words = [f"src/probe/{file}:1", f"only probe/{room} may have them"]
    expect(what, {f"probe/{file}": text + "\n"}, words)
    expect(f"{what} in its room", {f"probe/{room}/x.c": text + "\n"}, [])
expect("the door of search", {"probe/serve/x.c": '#include "probe/search/search.h"\n'}, [])
parts = {"probe/core/raw.h": "void raw_forked(void); /* a new process */\nbool raw_setup(void);\n"}
expect("complete parts",
       {**parts, "probe/entry/parts.def": "NEEDED(raw, raw_setup, raw_forked)\n"}, [])
expect("a forgotten part", {**parts, "probe/entry/parts.def": "NEEDED(raw, raw_setup, NONE)\n"},
       ["src/probe/core/raw.h:1: raw_forked is missing"])
expect("a part that is nowhere", {"probe/entry/parts.def": "/* x_setup */ PART(raw, raw_setup, NONE)\n"},
       ["no header declares raw_setup"])

print("\n".join(failures))
sys.exit(1 if failures else 0)
