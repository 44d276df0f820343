"""Virtual environments that tests share, under build/, made at their first use."""
import subprocess
from pathlib import Path

import tare

LISTS = Path(__file__).parent / "environments"  # NAME.txt; others are those of corpus/NAME


def ready(name):
    """The interpreter of build/venv-NAME; the test is skipped if it cannot be made."""
    own = LISTS / f"{name}.txt"
    command = [tare.ROOT / "tools" / "venv", name, *([own] if own.exists() else [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise tare.Skip(f"build/venv-{name} cannot be made: {lines[-1]}")
    return Path(done.stdout.strip())
