#!/usr/bin/env python3
# suite: check
# limit: 60
"""Every code of the tables of remedies, filled in, is a program of its language, and has its imports."""
import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

FACTS = tare.ROOT / "src/doctor/facts"
TEXT = r'"((?:[^"\\]|\\.)*)"'
REMEDY = re.compile(rf"^REMEDY\((\w+), (\w+), {TEXT}, {TEXT}, {TEXT}\)$", re.M)
LIBRARY = re.compile(rf"^LIBRARY\((\w+), {TEXT}, {TEXT}, {TEXT}, (\w+), {TEXT}, {TEXT}\)$", re.M)
PARTS = {"container": "kept", "key": "key", "stored": "value", "head": "kept.append(", "tail": ")",
         "function": "f", "limit": "20", "if": "", "fi": "", "header": "def f(kept=None):", "initial": "[]",
         "limited": "@cache", "imports": "", "carried": "hidden", "assigned": "fig", "module": "plt",
         "called": "subplots", "made": "sum"}
OWN = {"kept", "value", "hidden", "fig", "plt", "sum", "f", "cache", "key"}
SCRIPT = ("script_", "dispose")  # remedies for JavaScript begin so


def entries():
    """{name: (where, text, code)} of both tables."""
    remedies = (FACTS / "remedies.def").read_text()
    libraries = (FACTS / "libraries.def").read_text()
    found = {name: (where, text, code) for name, where, text, code, _ in REMEDY.findall(remedies)}
    found.update({one[0]: one[4:] for one in LIBRARY.findall(libraries)})
    assert len(found) == remedies.count("\nREMEDY(") + libraries.count("\nLIBRARY("), len(found)
    return found


def filled(code):
    return re.sub(r"\{(\w+)\}", lambda part: PARTS.get(part[1], part[0]),
                  code.encode().decode("unicode_escape"))


def names(tree):
    """Those that the code reads and nothing gives it."""
    known = set(dir(__builtins__)) | OWN
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            known |= {(one.asname or one.name).split(".")[0] for one in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - known


def python():
    codes = {name: code for name, (_, _, code) in entries().items()
             if code and not name.startswith(SCRIPT)}
    assert len(codes) > 25, codes
    for name, code in codes.items():
        text = filled(code)
        if name == "bound_decorator":
            text += "\ndef f(): pass"
        assert "{" not in re.sub(r"\{.*?for .*?\}", "", text), (name, text)
        assert not names(ast.parse(text)), (name, names(ast.parse(text)))


def javascript():
    if not shutil.which("node"):
        raise tare.Skip("no node")
    codes = [filled(code) for name, (_, _, code) in entries().items() if code and name.startswith(SCRIPT)]
    assert len(codes) > 4, codes
    program = "".join(f"{{ {code}\n}}\n" for code in codes)
    done = subprocess.run(["node", "--check", "-"], input=program, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    free = set(re.findall(r"(?<![\w.$'])([a-zA-Z_$][\w$]*)", re.sub(r"//.*", "", program)))
    assert free <= {"if", "for", "const", "of", "delete", "key", "Object", "kept", "sum"}, free


def words_have_no_placeholder():
    """A part that may be empty is not in a text."""
    allowed = {"container", "stored", "function", "carried", "key", "library"}
    for name, (where, text, code) in entries().items():
        assert set(re.findall(r"\{(\w+)\}", text)) <= allowed, (name, text)
        assert set(re.findall(r"\{(\w+)\}", code)) <= set(PARTS), (name, code)
        assert where == "any" or code, f"{name}: a place and no code"
        assert "…" not in code and "LIMIT" not in code, (name, code)


tare.Cases().each({f.__name__: f for f in (python, javascript, words_have_no_placeholder)})
