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


def run(files, exceptions=""):
    with tempfile.TemporaryDirectory() as directory:
        for name, text in {**GOOD, **files}.items():
            path = Path(directory) / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        listed = Path(directory) / "exceptions"
        listed.write_text(exceptions, encoding="utf-8")
        done = subprocess.run([TOOL, "--src", Path(directory) / "src", "--exceptions", listed],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(what, files, words, exceptions=""):
    code, output = run(files, exceptions)
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
expect("a crowded folder", {f"live/x{i}.c": "" for i in range(41)}, ["src/live:1: 41 files"])
expect("a full folder", {f"live/x{i}.c": "" for i in range(40)}, [])
for what, file, text, room in (
        ("a name of V8", "lines/x.c", 'const char *x = "_ZN2v87Isolate";', "js"),
        ("a function of CPython", "lines/x.c", 'find("PyObject_Malloc");', "python"),
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
expect("an exception by direction", backwards, [], "probe/core/raw.c -> probe/search/search.h\n")
expect("an exception in a cycle", cycle, [], "base/a.c -> base/b.h\n")
expect("an exception for an include that is gone", {}, ["nothing needs it"],
       "probe/core/raw.c -> probe/search/search.h\n")
expect("an exception that breaks no rule", {}, ["it breaks no rule"],
       "probe/search/walk.c -> probe/core/raw.h\n")
expect("one exception more than the cycle needs", cycle, ["it breaks no rule"],
       "base/a.c -> base/b.h\nbase/b.c -> base/a.h\n")

print("\n".join(failures))
sys.exit(1 if failures else 0)
