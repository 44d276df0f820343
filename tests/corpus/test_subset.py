#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1800
# alone: yes
"""A few programs of every kind and framework, run for real: verdict, line and rate.

Four minutes; the first run makes the environments of the frameworks, which takes a download.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["ROOT"])
sys.path.insert(0, str(ROOT / "tests/lib"))
from tare import DIFFERS  # noqa: E402


def maker(framework):
    """What makes the framework's environment under build/."""
    if framework == "tfjs":
        return [ROOT / "tools/tfjs-node"]
    kind = "npm" if (ROOT / "corpus" / framework / "package.json").exists() else "venv"
    return [ROOT / "tools" / kind, framework]


def environment(framework):
    """True when the framework's programs can run; what is missing is told as skipped."""
    if framework == "native":
        return True
    if framework == "node":
        return bool(shutil.which("node")) or print("skipped node: no node")
    made = subprocess.run(maker(framework), capture_output=True, text=True, check=False)
    if made.returncode == 0:
        return True
    print(f"skipped {framework}: {made.stderr.strip().rpartition(chr(10))[2]}")
    return False


def main():
    folders = sorted({path.parent.name for path in (ROOT / "corpus").glob("*/subset.txt")})
    chosen = [word for name in folders if environment(name) for word in ("--framework", name)]
    score = subprocess.run([ROOT / "corpus/score", "--runs", "1", "--tare", os.environ["TARE"],
                            "--subset", *chosen], capture_output=True, text=True, check=False)
    failed, differing = not score.stdout, False
    for line in score.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("found", "right"):
            print("ok", rest.split()[0].replace("@", ":"))
        elif word in ("MISSED", "WRONG", "FALSE"):
            differing = True
            print(line)
            print("DIFFERS", rest.removeprefix("ALARM").split()[0].replace("@", ":"))
        elif word == "BROKEN":  # the program or tare failed: there is no verdict
            failed = True
            print(line)
            print("FAILED", rest.split()[0].replace("@", ":"))
    print(score.stdout[-1500:], score.stderr[-1500:])
    # The shares of store lines and holders are for the whole corpus; here each program counts.
    return 1 if failed else DIFFERS if differing else 0


if __name__ == "__main__":
    sys.exit(main())
