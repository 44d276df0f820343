#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 240
"""The wheel, installed into a fresh virtual environment: a leaky and a clean program are told apart."""
import re
import shutil
import sys
import zipfile
from pathlib import Path

from package_case import (CLEAN_PY, LEAKY_C, LEAKY_JS, LEAKY_PY, bare, is_clean, is_leak_at,
                          reported, opens_nothing_of_the_tree, packed, run, same_bytes, tare, written)

PATTERN = "tare_doctor-*.whl"


class Environment:
    """A virtual environment with the wheel in it, and nothing else."""

    def __init__(self):
        self.wheel = packed("wheel", PATTERN)
        self.home = tare.fresh("venv")
        done = tare.plain([Path(sys.executable).resolve(), "-m", "venv", self.home], timeout=200)
        if done.status != 0:
            raise tare.Skip("this Python makes no virtual environment")
        self.python = self.home / "bin/python"
        run([self.python, "-m", "pip", "install", "--no-index", "-q", self.wheel])
        self.tare = self.home / "bin/tare"


made = []


def environment():
    if not made:
        made.append(Environment())
    return made[0]


def python_programs():
    env, leaky, clean = environment(), written("train.py", LEAKY_PY), written("train.py", CLEAN_PY)
    is_leak_at(reported(env.tare, [env.python, leaky], leaky.parent), 4)
    is_clean(reported(env.tare, [env.python, clean], clean.parent))


def as_a_module():
    """`python -m tare run train.py`, with another directory's Python first on the path."""
    env, leaky = environment(), written("train.py", LEAKY_PY)
    done = tare.plain([env.python, "-m", "tare", "run", "-o", "run", "--exit-code", "train.py"],
                      cwd=leaky.parent, env=bare())
    assert done.status in tare.READABLE, (done.status, done.err.decode()[-2000:])
    tare.judged(done.status == 1 and b"train.py:4" in done.err, (done.status, done.err.decode()[-2000:]))
    clean = written("train.py", CLEAN_PY)
    done = tare.plain([env.python, "-m", "tare", "run", "-o", "run", "--exit-code", "train.py"],
                      cwd=clean.parent, env=bare())
    assert done.status in tare.READABLE, done.err.decode()[-2000:]
    tare.judged(done.status == 0, done.err.decode()[-2000:])


def other_programs():
    """The add-on for Node, and the header for C, are there too."""
    env = environment()
    source = written("train.c", LEAKY_C)
    run(["gcc", "-g", "-O1", "-I", env.home / "include", "-o", source.with_suffix(""), source, "-ldl"])
    is_leak_at(reported(env.tare, [source.with_suffix("")], source.parent), 9)
    if not shutil.which("node"):
        raise tare.Skip("no node")
    program = written("train.js", LEAKY_JS)
    is_leak_at(reported(env.tare, [shutil.which("node"), program], program.parent), 4)


def imports():
    """`import tare` finds the package of the environment, without and under tare."""
    env = environment()
    text = "import tare; tare.step(); print(tare.__file__, tare.active())"
    alone = run([env.python, "-c", text], env=bare(), cwd=tare.SCRATCH)
    assert str(env.home / "lib") in alone and "False" in alone, alone
    under = run([env.tare, "run", "-q", "-o", tare.fresh(), "--", env.python, "-c", text], env=bare())
    assert "True" in under, under


def pages_and_completion():
    env = environment()
    manual = sorted(path.name for path in (env.home / "share/man/man1").glob("tare*.1"))
    assert "tare.1" in manual and "tare-run.1" in manual, manual
    assert (env.home / "share/bash-completion/completions/tare").exists()
    assert (env.home / "share/doc/tare/run.md").exists()
    licences = list(env.home.rglob("tare_doctor-*.dist-info/licenses/LICENSE"))
    assert licences and licences[0].read_text().startswith("MIT License"), licences
    leaky = written("train.py", LEAKY_PY)
    run([env.tare, "run", "-q", "-o", "run", "--html", "page.html", "--", env.python, leaky],
        cwd=leaky.parent, env=bare())
    assert (leaky.parent / "page.html").stat().st_size > 100000


def tag():
    """The tag says what the files need: nothing but the C library, and of that version."""
    env = environment()
    named = re.search(r"-py3-none-manylinux_(\d+)_(\d+)_x86_64\.whl$", env.wheel.name)
    assert named, env.wheel.name
    allowed = tuple(map(int, named.groups()))
    for name in ("bin/tare", "lib/tare/libtare-probe.so", "lib/tare/node/tare_node.node"):
        said = run(["readelf", "--dyn-syms", "-W", "-d", env.home / name])
        versions = {tuple(map(int, v.split(".")[:2])) for v in re.findall(r"@GLIBC_([\d.]+)", said)}
        assert not versions or max(versions) <= allowed, (name, max(versions))
        libraries = set(re.findall(r"\(NEEDED\).*\[(\S+)\]", said))
        assert libraries <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}, (name, libraries)
    with zipfile.ZipFile(env.wheel) as archive:
        assert archive.testzip() is None
    from environments import ready
    said = run([ready("auditwheel").parent / "auditwheel", "show", env.wheel])
    assert f'"manylinux_{allowed[0]}_{allowed[1]}_x86_64"' in said, said


def leaves_nothing():
    """What pip installed it removes."""
    env = Environment()
    run([env.python, "-m", "pip", "uninstall", "-q", "-y", "tare-doctor"])
    left = [path for path in env.home.rglob("*tare*") if path.is_file() and "__pycache__" not in path.parts]
    assert not left, left


def tree_is_not_needed():
    env, leaky = environment(), written("train.py", LEAKY_PY)
    opens_nothing_of_the_tree(env.tare, [env.python, leaky], leaky.parent)


tare.Cases().each({
    "python_programs": python_programs, "as_a_module": as_a_module, "other_programs": other_programs,
    "imports": imports, "pages_and_completion": pages_and_completion, "tag": tag,
    "leaves_nothing": leaves_nothing, "tree_is_not_needed": tree_is_not_needed,
    "same_bytes": lambda: same_bytes("wheel", PATTERN),
})
