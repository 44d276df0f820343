#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 120
"""The script of docs/recipes.md for continuous integration, as it stands there."""
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from tare import judged  # noqa: E402

TRAIN = """import sys
import time
kept = []
def train(step):
    time.sleep(0.002)
    CHANGE
for step in range(int(sys.argv[2])):
    train(step)
"""


def script():
    text = (tare.ROOT / "docs/recipes.md").read_text()
    found = re.search(r"^```sh\n(.*?)^```", text, re.S | re.M)
    assert found, "docs/recipes.md has no script any more"
    return found.group(1)


def pipeline(change):
    """Runs it where `tare` and `python` are on the path, as in a job; its status and the folder."""
    home, commands = tare.fresh("job"), tare.fresh("bin")
    home.mkdir()
    commands.mkdir()
    (commands / "python").symlink_to(Path(sys.executable).resolve())
    (commands / "tare").symlink_to(tare.TARE)
    (home / "train.py").write_text(TRAIN.replace("CHANGE", change))
    (home / "leak-check.sh").write_text(script())
    path = f"{commands}:{os.environ['PATH']}"
    done = tare.plain(["sh", "leak-check.sh"], cwd=home, env=tare.environment(PATH=path))
    return done, home


def leaky():
    done, home = pipeline("kept.append(bytearray(20000))")
    assert done.status in tare.READABLE, (done.status, done.err.decode())
    judged(done.status == 1, (done.status, done.out.decode(), done.err.decode()))
    results = json.loads((home / "tare.sarif").read_text())["runs"][0]["results"]
    place = results[0]["locations"][0]["physicalLocation"]
    judged(place["region"]["startLine"] == 6, place)
    judged(place["artifactLocation"]["uri"].endswith("train.py"), place)
    assert "train.py:6" in (home / "tare.md").read_text()
    assert (home / "tare.html").stat().st_size > 100000


def clean():
    done, home = pipeline("kept[:] = [bytearray(20000)]")
    assert done.status in tare.READABLE, (done.status, done.err.decode())
    judged(done.status == 0, (done.status, done.out.decode(), done.err.decode()))
    levels = [r["level"] for r in json.loads((home / "tare.sarif").read_text())["runs"][0]["results"]]
    judged("error" not in levels, levels)


def failing_program():
    """Its own status is the job's; nothing is judged."""
    done, home = pipeline("raise SystemExit(5)")
    assert done.status == 5 and not (home / "tare.sarif").exists(), done.status


tare.Cases().each({"leaky": leaky, "clean": clean, "failing_program": failing_program})
