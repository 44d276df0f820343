"""Shared by the tests of the page: runs to look at, their pages, and what Chromium sees there."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "export")]
os.environ.setdefault("ROOT", str(HERE.parent.parent))

from tare import ROOT, SCRATCH, TARE, Skip, plain, traced  # noqa: E402

os.environ.setdefault("SCRATCH", str(SCRATCH))
# Names that would run, hide or turn something if a page took them for more than text.
EVIL = "</script><img src=x onerror=window.owned=1><b>‮⁦"
HOSTILE = '''
import ctypes
marks = ctypes.CDLL(None)

class Marks(ctypes.Structure):
    _fields_ = [("step", ctypes.CFUNCTYPE(None, ctypes.c_uint64))]

kept = {}
note = "</script><script>window.owned = 1</script>"
def remember(number):
    kept["<img src=x onerror=window.owned=1>%d" % number] = bytearray(30_000)  # <b onclick=x> LONG

for number in range(200):
    try:
        Marks.in_dll(marks, "tare_marks_v1").step(number)
    except ValueError:
        pass
    remember(number)
'''


def view(directory, *options, name=None):
    """The page of a run, as a path; the tests skip where tare was built without it."""
    page = SCRATCH / f"{name or Path(directory).name}.html"
    done = plain([TARE, "view", "--open", "no", "-o", page, *options, directory])
    if b"built without the page" in done.err:
        raise Skip("this tare was built without npm")
    assert done.status == 0, (done.status, done.err)
    assert done.out == f"{page}\n".encode(), done.out
    return page


def data_of(page):
    """What is packed into the page."""
    found = re.search(rb'<script type="text/plain" id="data">([^<]*)</script>', page.read_bytes())
    return json.loads(zlib.decompress(base64.b64decode(found.group(1))))


def hostile_program():
    """A run of a program whose names are markup, and one of whose lines has two million letters."""
    place = SCRATCH / "hostile"
    place.mkdir(exist_ok=True)
    script = place / f"{EVIL.replace('/', '∕')}.py"
    script.write_text(HOSTILE.replace("LONG", "x" * 2_000_000))
    done = traced([sys.executable, script, EVIL, "y" * 60_000], ["--rate", "8K"], timeout=60)
    assert done.status == 0, done.err
    return done.directory


def modules():
    """npm's packages of this directory, under build/; None: they cannot be had."""
    place = ROOT / "build" / "npm-page-tests"
    lock = (HERE / "package-lock.json").read_text()
    if not (place / "made").exists() or (place / "made").read_text() != lock:
        place.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, place / name)
        try:
            subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
                           cwd=place, check=True, capture_output=True, timeout=180)
        except (subprocess.SubprocessError, OSError):
            return None
        (place / "made").write_text(lock)
    return place / "node_modules"


def browse(*jobs):
    """What Chromium sees: one dictionary for each job (browse.mjs)."""
    chromium, place = shutil.which("chromium"), modules()
    if not chromium:
        raise Skip("no chromium")
    if not place:
        raise Skip("npm could not fetch playwright-core and axe-core")
    jobs = [dict(job, page=str(job["page"])) for job in jobs]
    done = subprocess.run(["node", HERE / "browse.mjs", place, chromium, json.dumps(jobs)],
                          capture_output=True, timeout=150)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return json.loads(done.stdout)
