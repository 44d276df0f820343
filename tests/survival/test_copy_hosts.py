#!/usr/bin/env python3
# suite: test
# limit: 200
"""Programs that a copy of theirs might disturb: each runs on as if none had been made."""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import tare  # noqa: E402
from crowd import DONE, FAILED, Crowd  # noqa: E402

BLOCK = 5000  # bytes of one that hazards keeps
USERFAULT, WAITER = 7, 8  # unsearched.def
PART, PARTS = 256 * 1024, 16  # hazards.c
CLONES = 20


def reasons(host, site):
    return [record.reason for record in host.answers(site) if record.state == FAILED]


def userfault():
    """A clone would wait for whoever reads of page faults, and nobody does: no search is begun."""
    host = Crowd("userfault", name="hazards")
    site = host.site(BLOCK)
    state = host.answered(host.mail().holders(site), 20)
    refused = reasons(host, site)
    out = host.end()
    assert state == "REFUSED" and USERFAULT in refused, (state, refused)
    assert out == b"over\n", out


def waiter():
    """It waits for children of every kind: it must find none, so none is made, or it ends before the wait."""
    host = Crowd(300_000, "wait")
    site = host.site(16)
    state = host.answered(host.mail().holders(site), 20)
    refused = reasons(host, site)
    out = host.end()
    assert out == b"", out[:200]
    assert WAITER in refused, (state, refused)


def traced():
    """A debugger that follows forks and clones is not given the copy, and the search is made."""
    host = Crowd(300_000, "return", through=(tare.PROGRAMS / "hazards", "trace"))
    site = host.site(16)
    state = host.answered(host.mail().holders(site), 60)
    answers = host.answers(site)
    out = host.end()
    assert out == b"", out
    assert state == "DONE" and any(record.state == DONE for record in answers), (state, answers)


def direct():
    """Reads past the page cache, into heap memory, while the process is copied again and again."""
    path = tare.fresh("words")
    path.write_bytes(b"".join(i.to_bytes(8, "little") for i in range(PART * PARTS // 8)))
    host = Crowd("direct", path, name="hazards")
    site, done = host.site(BLOCK), 0
    deadline = time.monotonic() + 60
    while done < CLONES and time.monotonic() < deadline:
        state = host.answered(host.mail().holders(site), 30)
        if state == "REFUSED" and done > 0:
            break  # it has been paused for as long as it may be
        done += state == "DONE"
    out = host.end().split()
    if out[:1] == [b"refused"]:
        raise tare.Skip("this file system has no direct reads")
    assert done >= 3, done
    assert out[0] == b"over" and int(out[1]) > 10 and out[3] == b"0", out


tare.Cases().each({"userfault": userfault, "waiter": waiter, "traced": traced, "direct": direct})
