#!/usr/bin/env python3
"""--redact and `tare strip`: nothing of the program's names is left, and the verdict is the same."""
import json
import os
import re
import sys

from clitest import CLEAN, LEAK, main, marked, tare

SECRETS = ("secret", "keep(", "stdin", "memset(malloc")
FORMS = ("pprof", "speedscope", "collapsed", "csv", "trace", "sarif", "junit", "markdown", "openmetrics")


def recorded(scratch, source=LEAK):
    home = scratch / "secret-place"
    home.mkdir(exist_ok=True)
    program = marked(home, "secret-program", source.replace("keep(", "secret_keep("))
    tare("run", "-q", "-o", "run", "--", program, 200, 300, 3000, cwd=scratch, status=7)
    return "run"


def clean_of(text, scratch, what):
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    for secret in (*SECRETS, str(scratch), scratch.name):
        assert secret not in text, (what, secret, text[max(0, text.find(secret) - 200):][:400])


def shape(value):
    """A report without its texts."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return None if isinstance(value, str) else value


def case_reports_and_exports_hold_no_name(scratch):
    run = recorded(scratch)
    plain = json.loads(tare("report", "--json", run, cwd=scratch, status=1).stdout)
    assert "secret_keep" in json.dumps(plain)
    done = tare("report", "--json", "--redact", run, cwd=scratch, status=1)
    clean_of(done.stdout, scratch, "json")
    redacted = json.loads(done.stdout)
    assert shape(redacted) == shape(plain)
    place = redacted["processes"][0]["findings"][0]["allocated_at"][0]
    assert re.fullmatch(r"function-[0-9a-f]{10}", place["function"]), place
    assert plain["verdict"] == redacted["verdict"] and plain["answer"] == redacted["answer"]
    clean_of(tare("report", "--redact", run, cwd=scratch, status=1).stdout, scratch, "text")
    for form in FORMS:
        done = tare("export", "--format", form, "--redact", run, cwd=scratch, status=0)
        clean_of(done.stdout, scratch, form)
    again = tare("report", "--json", "--redact", run, cwd=scratch, status=1).stdout
    assert json.loads(again) == redacted, "hashes are stable"


def case_strip_is_small_and_judged_alike(scratch):
    run = recorded(scratch)
    tare("strip", "-o", "small", run, cwd=scratch, status=0)
    size = sum(path.stat().st_size for path in (scratch / "small").iterdir())
    assert size < 3_000_000, size
    for words in (["report", "--json"], ["report"], ["explain"], ["export", "--format", "collapsed"],
                  ["export", "--format", "csv"]):
        tail = ["1"] if words == ["explain"] else []
        before, after = (tare(*words, path, *tail, cwd=scratch) for path in (run, "small"))
        assert (before.returncode, before.stdout) == (after.returncode, after.stdout), words
    assert (scratch / "small" / "report.json").read_bytes() == tare(
        "report", "--json", run, cwd=scratch).stdout
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in (scratch / "small").iterdir())


def case_strip_redacts(scratch):
    run = recorded(scratch)
    tare("strip", "--redact", "-o", "small", run, cwd=scratch, status=0)
    for path in (scratch / "small").iterdir():
        clean_of(path.read_bytes(), scratch, path.name)
    before, after = (json.loads(tare("report", "--json", path, cwd=scratch).stdout)
                     for path in (run, "small"))
    for key in ("verdict", "confidence", "answer"):
        assert before[key] == after[key], key
    rates = [[f["bytes_per_step"] for f in r["processes"][0]["findings"]] for r in (before, after)]
    assert rates[0] == rates[1] and rates[0], rates


PYTHON = """
import tare

class SecretModel:
    def __init__(self):
        self.secret_history = []

    def secret_forward(self, number):
        self.secret_history.append(bytearray(30_000 + number % 3))

secret_model = SecretModel()
for number in range(200):
    secret_model.secret_forward(number)
    tare.step()
"""


def case_python_names_are_hidden_too(scratch):
    (scratch / "secret_train.py").write_text(PYTHON)
    tare("run", "-q", "-o", "run", "--", sys.executable, "secret_train.py", cwd=scratch, status=0)
    assert b"secret_history" in tare("report", "run", cwd=scratch, status=1).stdout
    for words in (["report"], ["report", "--json"], *(["export", "--format", form] for form in FORMS)):
        text = tare(*words, "--redact", "run", cwd=scratch).stdout
        clean_of(re.sub(rb"Secret", b"secret", text), scratch, words)
    tare("strip", "--redact", "-o", "small", "run", cwd=scratch, status=0)
    for path in (scratch / "small").iterdir():
        clean_of(path.read_bytes().replace(b"Secret", b"secret"), scratch, path.name)


def case_strip_refuses_what_it_should(scratch):
    run = recorded(scratch, CLEAN)
    tare("strip", run, cwd=scratch, status=2)
    tare("strip", "-o", run, run, cwd=scratch, status=2)
    tare("strip", "-o", "x", "nowhere", cwd=scratch, status=74)
    assert not (scratch / "x").exists()
    (scratch / "empty").mkdir()
    tare("strip", "-o", "y", "empty", cwd=scratch, status=65)
    (scratch / "bad").mkdir()
    (scratch / "bad" / "1.0.tare").write_bytes(os.urandom(5000))
    tare("strip", "-o", "z", "bad", cwd=scratch, status=65)


main(globals())
