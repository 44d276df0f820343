#!/usr/bin/env python3
# suite: check
# limit: 60
"""A run in each version of the ledger's format that tare reads: its whole report, and what is refused."""
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))
from golden import VERSIONS, check, unpack, place  # noqa: E402
import ledger  # noqa: E402
from tare import TARE, Cases, fresh, plain  # noqa: E402

VERSION_AT = 8  # byte of the header


def versions(directory):
    return {path.read_bytes()[VERSION_AT] for path in directory.glob("*.tare")}


def written_in_it(name):
    """The stored ledgers are of the version that their name says."""
    run = fresh("run")
    with place():
        unpack(name, run)
    number = int(re.sub("[^0-9]", "", name))
    assert versions(run) == {number}, versions(run)


def last_is_todays():
    today = f"version{ledger.CONSTANTS['LEDGER_VERSION']}"
    assert list(VERSIONS)[-1] == today, "record a run of the new version"


def newer_is_refused():
    """In one sentence that says what to do."""
    path = fresh("newer") / "1.0.tare"
    data = bytearray((HERE / "version1.tare").read_bytes())
    data[VERSION_AT] = ledger.CONSTANTS["LEDGER_VERSION"] + 1
    path.parent.mkdir()
    path.write_bytes(data)
    done = plain([TARE, "report", path])
    assert done.status == 65, done.status
    words = f"tare: {path}: written in ledger version 3; this tare knows versions up to 2: use a newer tare\n"
    assert done.err.decode() == words, done.err.decode()


def stripped_is_todays():
    """A small copy of an old run reports the same."""
    old, small = fresh("old"), fresh("small")
    with place():
        unpack("version1", old)
        done = plain([TARE, "strip", "-o", small, old])
        assert done.status == 0, done.err.decode()
        assert versions(small) == {ledger.CONSTANTS["LEDGER_VERSION"]}, versions(small)
        for extra in old.iterdir():
            if extra.suffix != ".tare" and not (small / extra.name).exists():
                shutil.copyfile(extra, small / extra.name)
        want, got = (plain([TARE, "report", "--json", run]).out for run in (old, small))
        assert got == want, "the report differs"


Cases().each({name: lambda name=name: check(name) for name in VERSIONS} |
             {f"{name}_is_what_it_says": lambda name=name: written_in_it(name) for name in VERSIONS} |
             {"last_is_todays": last_is_todays, "newer_is_refused": newer_is_refused,
              "stripped_is_todays": stripped_is_todays})
