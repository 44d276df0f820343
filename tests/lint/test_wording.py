#!/usr/bin/env python3
# limit: 60
# suite: check
"""tools/wording finds the listed habits in comments, strings and pages, and only in the listed places."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["ROOT"])
TOOL = ROOT / "tools" / "wording"
WORDS = (ROOT / "tools" / "words").read_text(encoding="utf-8").split("[places]")[0]
failures = []


def run(files, places):
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, text in {**files, "tools/words": WORDS + "[places]\n" + places}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        subprocess.run(["git", "init", "-q", root], check=True)
        done = subprocess.run([TOOL, "--root", root], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(what, text, line, name="src/x.c", places="src\n"):
    """`line`: where the one breach is; 0 for none."""
    code, output = run({name: text}, places)
    wrong = code == 0 or output.count("\n") != 1 or f"{name}:{line}: " not in output
    if wrong if line else code != 0:
        failures.append(f"{what}: exit {code}: {output!r}")


expect("plain words", "/* Blocks are freed later and later. */\n", 0)
expect("a habit", "\n/* It is made anew. */\n", 2)
expect("a capital letter", "/* Meanwhile the reader waits. */\n", 1)
expect("part of another word", "int meanwhiles, renew;\n", 0)
expect("a habit over two lines of a comment", "/* It\n * goes\n * on. */\n", 2)
expect("a habit over two lines of a text", 'say("it is"\n    " told");\n', 1)
expect("a habit over two lines of a page", "the finding is\ntold\n", 1, "page.md", "page.md\n")
expect("what is not a habit: there is no", "/* There is no room. */\n", 0)
expect("what is not a habit: no longer", "/* It is no longer used. */\n", 0)
expect("is no", "/* This is no doubt. */\n", 1)
expect("a genitive without its noun", "/* a stack of JavaScript's, with lines */\n", 1)
expect("behind a collection", "/* what stays behind a full collection */\n", 1)
expect("a script without an ending", "#!/bin/sh\n# nothing is at hand\n", 2, "tools/x", "tools\n")
expect("a file without an ending", "nothing is at hand\n", 0, "tools/x", "tools\n")
expect("give out", "/* lines are shown, the tool gives out\n * others */\n", 1)
expect("another folder", "/* made anew */\n", 0, places="docs\n")
expect("a file that is left out", "/* made anew */\n", 0, places="src\n-src/x.c\n")
expect("a pattern of places", "/* made anew */\n", 1, places="src/*.c\n")

print("\n".join(failures))
sys.exit(1 if failures else 0)
