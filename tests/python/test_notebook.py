#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 400
"""A real Jupyter kernel under tare: %%tare judges a cell, %tare_lines shows a function's lines."""
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from python_case import environments, folder, judged, tare  # noqa: E402

DRIVER = """
import json, sys
import nbformat
from nbclient import NotebookClient
book = nbformat.v4.new_notebook()
book.cells = [nbformat.v4.new_code_cell(text) for text in json.load(open(sys.argv[2]))]
client = NotebookClient(book, kernel_name=sys.argv[1], timeout=120, allow_errors=True)
client.execute()
json.dump([cell.outputs for cell in book.cells], sys.stdout)
"""
PACKAGE = Path(tare.TARE).resolve().parent / "python"


def installed(home, *words):
    done = tare.plain([tare.TARE, "kernel", "install", *words],
                      env=tare.environment(JUPYTER_DATA_DIR=home / "data", XDG_CACHE_HOME=home / "cache"))
    return done


def execute(cells, kernel, home, python, **environment):
    """The outputs of each cell: a list of texts, errors included."""
    (home / "cells.json").write_text(json.dumps(cells))
    (home / "driver.py").write_text(DRIVER)
    done = subprocess.run(
        [python, home / "driver.py", kernel, home / "cells.json"], capture_output=True, check=False,
        timeout=300, env=tare.environment(JUPYTER_DATA_DIR=home / "data",
                                          XDG_CACHE_HOME=home / "cache",
                                          IPYTHONDIR=home / "ipython", **environment))
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    texts = []
    for outputs in json.loads(done.stdout):
        parts = []
        for output in outputs:
            parts += [output.get("text", ""), output.get("data", {}).get("text/plain", ""),
                      "\n".join(output.get("traceback", []))]
        texts.append("\n".join(part for part in parts if part))
    return texts


CELLS = [
    "%load_ext tare",
    "kept = []\ndef leaky(turn):\n    kept.append(bytearray(50000))\n    return turn",
    "%%tare\nfor turn in range(200):\n    if turn % 2:\n        continue\n    block = bytearray(60000)",
    "%%tare\nfor turn in range(200):\n    leaky(turn)",
    "%%tare\nfor turn in range(200):\n    block = bytearray(60000)\nblock_size = len(block)",
    "%tare_lines leaky(3)",
    "%tare_lines leaky",
    "print(block_size, turn, len(kept))",
    "import tare; print(tare.report()['verdict'])",
    "%%tare\nraise ValueError('mine')",
    "%tare_lines len",
]


def a_kernel_under_tare():
    python = environments.ready("notebook")
    home = folder()
    done = installed(home, "--name", "watched", "--python", python)
    assert done.status == 0 and b"%load_ext tare" in done.out and not done.err, (done.out, done.err)
    texts = execute(CELLS, "watched", home, python)
    loaded, _, clean, leak, again, table, so_far, names, verdict, wrong, native = texts
    assert not loaded, loaded
    judged("Does it leak? No" in clean and "200 steps" in clean, clean)
    judged("1. retained, confidence" in leak and "in leaky" in leak and "200 steps" in leak, leak)
    judged("Held by" in leak and "kept" in leak.split("Held by")[1], leak)
    judged("Does it leak? No" in again and "200 steps" in again, again)
    judged("leaky, 1 call" in table and "kept.append(bytearray(50000))" in table, table)
    row = next(line for line in table.splitlines() if "kept.append" in line)
    judged(row.split()[6:8] in (["48.9", "KB"], ["49.1", "KB"]), row)  # the list may grow, too
    assert "leaky, 1 call" in so_far, so_far
    assert "60000 199 201" in names, names
    judged(verdict.strip() in ("retained", "plateau"), verdict)  # of the whole kernel so far
    assert "mine" in wrong and "ValueError" in wrong, wrong
    assert "not a Python function" in native, native


def an_ordinary_kernel():
    python = environments.ready("notebook")
    home = folder()
    cells = ["%load_ext tare", "%%tare\nvalue = 5", "%tare_lines len", "print(value)"]
    spec = home / "data/kernels/plain"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "plain", "language": "python"}))
    texts = execute(cells, "plain", home, python, PYTHONPATH=PACKAGE)
    assert all("tare kernel install" in text for text in texts[:3]), texts
    assert texts[3] == "5\n", texts


def what_is_wrong_is_said():
    home = folder()
    assert installed(home, "--name", "../up").status == tare.USAGE
    assert installed(home, "--python", "/nowhere/python").status == tare.USAGE
    assert tare.plain([tare.TARE, "kernel"]).status == tare.USAGE
    empty = home / "python"
    empty.write_text("#!/bin/sh\nexit 1\n")
    empty.chmod(0o755)
    done = installed(home, "--python", empty)
    assert done.status == 0 and b"has no ipykernel" in done.err, done.err


tare.Cases().each({function.__name__: function for function in (
    a_kernel_under_tare, an_ordinary_kernel, what_is_wrong_is_said)})
