"""The machine that the programs run on: what it has, its versions, and running a command with a limit."""
import json
import os
import platform
import shutil
import signal
import subprocess
import time

from truth import PROGRAMS, ROOT

PACKAGES = ("torch", "triton", "jax", "cupy-cuda13x", "cupy-cuda12x", "numpy")
FIND = """import importlib.util, json, sys
print(json.dumps({name: importlib.util.find_spec(name) is not None for name in sys.argv[1:]}))"""
VERSIONS = """import importlib.metadata as m, json, sys
def version(name):
    try:
        return m.version(name)
    except m.PackageNotFoundError:
        return None
print(json.dumps({"Python": sys.version.split()[0], **{name: version(name) for name in sys.argv[1:]}}))"""


def has_device():
    done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False) \
        if shutil.which("nvidia-smi") else None
    return bool(done and done.returncode == 0 and done.stdout)


def said_by(python, script, words):
    done = subprocess.run([python, "-c", script, *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def present(needs, options):
    """{need: is it there}. `cuda` is the device itself, `gcc` a command, the others are Python packages."""
    packages = sorted(needs - {"cuda", "gcc"})
    found = said_by(options.python, FIND, packages) if packages else {}
    return {**found, "cuda": options.device == "cuda", "gcc": shutil.which("gcc") is not None}


def versions(options):
    """{what: its version}, of what the results depend on."""
    found = said_by(options.python, VERSIONS, PACKAGES)
    facts = {name: version for name, version in found.items() if version}
    facts["Linux"], (_, facts["glibc"]) = platform.release(), platform.libc_ver()
    if options.device == "cuda":
        done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                              capture_output=True, text=True, check=True)
        facts["device"], _, facts["driver"] = done.stdout.splitlines()[0].partition(", ")
    done = subprocess.run([options.tare, "--version"], capture_output=True, text=True, check=True)
    return {"tare": done.stdout.split()[-1], **facts}


def sentence(facts):
    """What versions() found, as a line of the page."""
    return "Versions: " + ", ".join(f"{name} {version}" for name, version in facts.items()) + "."


def build_tare():
    """Headers of libelf and libdw must be there: tools/deps --build. Else give a tare that was built
    elsewhere (make stage, with build/portable/tare in the place of usr/bin/tare)."""
    subprocess.run(["make", "-s", "-j", str(os.cpu_count() or 1)], cwd=ROOT, check=True)


def build_program(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", f"-I{ROOT}/include",
                    f"-I{PROGRAMS}", "-o", target, source, "-ldl"], check=True)


def end(process):
    """The command and what it has started: they are a group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=5)
            return
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def run(words, folder, limit, variables):
    """{"status", "seconds", "output", "error": last line of stderr, "late": the limit if it was reached}."""
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD" and not k.startswith("TARE")}
    begin = time.monotonic()
    process = subprocess.Popen(list(map(str, words)), cwd=folder, env={**environment, **variables},
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
    late, output, error = None, "", ""
    try:
        output, error = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        late = limit
        end(process)
    lines = error.strip().splitlines()
    return {"status": process.returncode, "seconds": time.monotonic() - begin, "output": output,
            "error": lines[-1] if lines else "", "late": late}
