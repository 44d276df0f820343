"""Shared by the tests of exports: runs to export, and the verb itself."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "report")]
os.environ.setdefault("ROOT", str(HERE.parent.parent))
os.environ.setdefault("TARE", str(HERE.parent.parent / "build" / "tare"))

from tare import ROOT, SCRATCH, TARE, compile_program, judged, plain, report, traced  # noqa: E402

os.environ.setdefault("SCRATCH", str(SCRATCH))
LEAK = """
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

void *kept[1000];

static void *make_block(size_t size)
{
    return memset(malloc(size), 1, size);
}

int main(int count, char **words)
{
    for (int i = 0; i < 200; i++) {
        tare_step((uint64_t)i);
        kept[i] = make_block(20000);
        if (count > 1)
            free(kept[i]);
        free(make_block(3000));
    }
    (void)words;
    return 0;
}
"""


def native(*words):
    """The run directory of a program that leaks; with a word, of one that does not."""
    program = SCRATCH / "train"
    if not program.exists():
        source = SCRATCH / "train.c"
        source.write_text(LEAK)
        compile_program(source, program, "-O1", "-ldl")
    done = traced([program, *words], ["--rate", "4K"], timeout=30)
    assert done.status == 0, done.err
    return done.directory


def python():
    done = traced([sys.executable, HERE / "leak_program.py", 200], ["--rate", "16K"], timeout=60)
    assert done.status == 0, done.err
    return done.directory


def hostile():
    """Ledgers whose names hold whatever may do harm."""
    from ledgers import build, make
    return make(build("make_ledger_export"), "hostile", "hostile-export.run")[0]


def export(directory, form, *options, status=0):
    done = plain([TARE, "export", "--format", form, *options, directory])
    assert done.status == status, (done.status, done.err)
    return done.out


def findings(directory):
    return [(p, f) for p in report(directory)["processes"] for f in p["findings"]]


def the_finding(run):
    """(process, finding) of a run that must have one."""
    found = findings(run)
    judged([finding["kind"] for _, finding in found] == ["retained"], found)
    return found[0]


def without_finding(run):
    judged(findings(run) == [], findings(run))
    return run


def interpreter(*packages):
    """A Python that has these packages, made under build/; None: they cannot be had."""
    place = ROOT / "build" / "venv-exports"
    own = place / "bin" / "python"
    probe = "import " + ", ".join(packages)
    if own.exists() and subprocess.run([own, "-c", probe], capture_output=True).returncode == 0:
        return own
    try:
        subprocess.run([sys.executable, "-m", "venv", place], check=True, capture_output=True, timeout=120)
        subprocess.run([own, "-m", "pip", "install", "-q", "protobuf", "jsonschema", "xmlschema"],
                       check=True, capture_output=True, timeout=240)
    except (subprocess.SubprocessError, OSError):
        return None
    return own


def node_modules(*packages):
    """node_modules with these npm packages, under build/; None: they cannot be had."""
    place = ROOT / "build" / "npm-exports"
    modules = place / "node_modules"
    if all((modules / package.split("@")[0]).exists() for package in packages):
        return modules
    place.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", place,
                        *packages], check=True, capture_output=True, timeout=240, cwd=place)
    except (subprocess.SubprocessError, OSError):
        return None
    return modules
