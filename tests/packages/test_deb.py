#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 120
"""The Debian package: installed by dpkg into a root of its own, and run from there."""
import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from package_case import (CLEAN_PY, LEAKY_C, LEAKY_PY, bare, is_clean, is_leak_at, reported,
                          opens_nothing_of_the_tree, packed, run, same_bytes, tare, written)

PATTERN = "tare-doctor_*.deb"
made = []


def root():
    """A directory into which dpkg has installed it; dpkg's own records are there, too."""
    if not made:
        package = packed("deb", PATTERN)
        home = tare.fresh("root")
        (home / "var/lib/dpkg/info").mkdir(parents=True)
        (home / "var/lib/dpkg/updates").mkdir()
        (home / "var/lib/dpkg/status").write_text("")
        # Its dependencies are in the root of this machine, not in that one.
        command = ["dpkg", f"--root={home}", "--force-not-root", "--force-depends", "--log=/dev/null",
                   "-i", package]
        run(command, env=dict(os.environ, LC_ALL="C"))
        made.extend((home, package))
    return made[0]


def programs():
    home, python = root(), Path(sys.executable).resolve()
    leaky, clean = written("train.py", LEAKY_PY), written("train.py", CLEAN_PY)
    is_leak_at(reported(home / "usr/bin/tare", [python, leaky], leaky.parent), 4)
    is_clean(reported(home / "usr/bin/tare", [python, clean], clean.parent))
    source = written("train.c", LEAKY_C)
    run(["gcc", "-g", "-O1", "-I", home / "usr/include", "-o", source.with_suffix(""), source, "-ldl"])
    is_leak_at(reported(home / "usr/bin/tare", [source.with_suffix("")], source.parent), 9)


def owner(path):
    """The package of a file, which may have moved from /lib to /usr/lib."""
    for name in (path, re.sub("^/usr", "", path)):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise tare.Skip(f"no package has brought {path}")


def dependencies():
    """Every library that is needed is named by its package, and the C library with its version."""
    root()
    depends = run(["dpkg-deb", "-f", made[1], "Depends"])
    program = made[0] / "usr/bin/tare"
    libraries = set(re.findall(r"\(NEEDED\).*\[(\S+)\]", run(["readelf", "-d", program]))) - {"libm.so.6"}
    packages = {}
    for library in libraries:
        path = re.search(rf"{re.escape(library)} => (\S+)", run(["ldd", program])).group(1)
        packages[library] = owner(os.path.realpath(path))
    missing = [name for name in packages.values() if not re.search(rf"(^|, ){re.escape(name)} \(", depends)]
    assert not missing, (missing, depends)
    assert re.search(r"libc6 \(>= 2\.\d+\)", depends), depends


def manual_and_completion():
    home = root()
    page = gzip.decompress((home / "usr/share/man/man1/tare-run.1.gz").read_bytes())
    assert b".TH" in page
    assert (home / "usr/share/bash-completion/completions/tare").exists()
    assert (home / "usr/share/zsh/vendor-completions/_tare").exists()
    assert (home / "usr/share/doc/tare-doctor/run.md").exists()
    assert "Format: https://www.debian.org/doc/packaging-manuals/copyright-format" in \
        (home / "usr/share/doc/tare-doctor/copyright").read_text()


def lintian():
    if not shutil.which("lintian"):
        raise tare.Skip("no lintian")
    root()
    # Who builds it gives an address (DEBEMAIL); nobody's does for a test.
    done = tare.plain(["lintian", "--allow-root", "--suppress-tags",
                       "bogus-mail-host,bogus-mail-host-in-debian-changelog", made[1]], timeout=120)
    said = done.out.decode()
    assert not re.search(r"^[EW]:", said, re.M), said


def removed():
    """Everything that came goes."""
    home = root()
    run(["dpkg", f"--root={home}", "--force-not-root", "--log=/dev/null", "--purge", "tare-doctor"],
        env=dict(os.environ, LC_ALL="C"))
    left = [path for path in home.rglob("*") if path.is_file() and "var/lib/dpkg" not in str(path)
            and "__pycache__" not in path.parts]
    made.clear()
    assert not left, left


def tree_is_not_needed():
    leaky = written("train.py", LEAKY_PY)
    opens_nothing_of_the_tree(root() / "usr/bin/tare", [Path(sys.executable).resolve(), leaky], leaky.parent)


tare.Cases().each({
    "programs": programs, "dependencies": dependencies, "manual_and_completion": manual_and_completion,
    "lintian": lintian, "tree_is_not_needed": tree_is_not_needed, "removed": removed,
    "same_bytes": lambda: same_bytes("deb", PATTERN),
})
