"""What the tests of the Python adapter share: interpreters, small files, and what a run has counted."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import environments  # noqa: E402,F401
import ledger  # noqa: E402,F401
import tare  # noqa: E402
from counted import clocks, greeted, root, steps  # noqa: E402,F401
from tare import judged  # noqa: E402,F401

INJECT = str(Path(tare.TARE).resolve().parent / "python" / "inject")
PYTHON = str(Path(sys.executable).resolve())


def interpreters():
    """{version: path} of every CPython in PATH, and of those that pyenv has built."""
    places = [Path(place) for place in os.environ["PATH"].split(":") if "shims" not in place]
    places += sorted(Path(os.environ.get("PYENV_ROOT", "/nowhere")).glob("versions/*/bin"))
    found = {}
    for place in places:
        for path in sorted(place.glob("python[23].*")):
            version = path.name[len("python"):]
            if version.replace(".", "").isdigit() and version not in found and works(path):
                found[version] = str(path.resolve())
    return found


def works(path):
    return subprocess.run([path, "-c", ""], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def write(directory, files):
    """Writes {name: text} there and gives the directory back."""
    Path(directory).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = Path(directory) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Path(directory)


def folder(**files):
    """A new directory with these modules in it."""
    return write(tare.fresh("files"), {f"{name}.py": text for name, text in files.items()})
