#!/usr/bin/env python3
# suite: test
# limit: 420
# alone: yes
"""One program of every kind, run for real: its verdict, its line and its rate."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["ROOT"])


def main():
    build = Path(os.environ["TARE"]).parent
    made = subprocess.run(["make", "-C", ROOT, "-j2", "corpus"], capture_output=True, text=True)
    if made.returncode != 0:
        print(made.stdout[-2000:], made.stderr[-2000:])
        return 1
    score = subprocess.run([ROOT / "corpus/score", "--runs", "1", "--tare", build / "tare",
                            "--subset", ROOT / "corpus/native/subset.txt"],
                           capture_output=True, text=True)
    for line in score.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("found", "right"):
            print("ok", rest.split()[0])
        elif word in ("MISSED", "WRONG", "FALSE"):
            print(line)
            print("FAILED", rest.split()[0])
    print(score.stdout[-1500:], score.stderr[-1500:])
    return score.returncode


if __name__ == "__main__":
    sys.exit(main())
