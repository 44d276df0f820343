#!/usr/bin/env python3
# suite: test
# limit: 180
"""The report and its schema, by the reference validator of Python, where it can be had."""
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ledgers import ROOT, build, make, tare  # noqa: E402

CHECK = """
import json, sys
from jsonschema import Draft202012Validator
schema, report = (json.load(open(path)) for path in sys.argv[1:])
Draft202012Validator.check_schema(schema)
Draft202012Validator(schema).validate(report)
del report["processes"][0]["findings"]
assert not Draft202012Validator(schema).is_valid(report)
"""


def interpreter():
    """One that has jsonschema: this one, or one of our own under build/."""
    if subprocess.run([sys.executable, "-c", "import jsonschema"], capture_output=True).returncode == 0:
        return sys.executable
    place = Path(ROOT) / "build" / "venv-jsonschema"
    own = place / "bin" / "python"
    if subprocess.run([own, "-c", "import jsonschema"], capture_output=True).returncode == 0 \
            if own.exists() else False:
        return own
    try:
        venv.create(place, with_pip=True)
        subprocess.run([own, "-m", "pip", "install", "-q", "jsonschema"], check=True,
                       capture_output=True, timeout=120)
    except (subprocess.SubprocessError, OSError):
        print("jsonschema is not installed and could not be fetched")
        sys.exit(77)
    return own


program = build("make_ledger")
for mode in ("plain", "hostile"):
    directory, _ = make(program, mode)
    document = directory / "report.json"
    document.write_bytes(tare("report", "--json", directory).stdout)
    json.loads(document.read_text())
    subprocess.run([interpreter(), "-c", CHECK, ROOT / "docs/report.schema.json", document],
                   check=True)
