#!/usr/bin/env python3
"""`tare explain`: one finding in full."""
import json
import re

from clitest import LEAK, main, marked, tare

FORKED = LEAK.replace("int main(", "#include <sys/wait.h>\nint main(").replace(
    "    for (long i", "    const pid_t child = fork();\n\n    for (long i").replace(
    "    return 7;", "    if (child)\n        waitpid(child, NULL, 0);\n    return 7;")


def recorded(scratch, source, *words):
    tare("run", "-q", "-o", "run", "--", marked(scratch, "program", source), *words, cwd=scratch,
         status=7)
    return json.loads(tare("report", "--json", "run", cwd=scratch).stdout)


def case_everything_about_a_finding(scratch):
    report = recorded(scratch, LEAK, 200, 500)
    finding = report["processes"][0]["findings"][0]
    text = tare("explain", "run", finding["id"], cwd=scratch, status=0).stdout.decode()
    flat = " ".join(text.split())
    assert text.startswith(f"{finding['id']}. {finding['kind']} in process "), text
    for sentence in [finding["summary"], *finding["evidence"], finding["remedy"]["text"]]:
        assert sentence in flat, (sentence, text)
    for place in finding["allocated_at"]:
        assert place["function"] in text, (place, text)
    bars = re.findall(r"^ +(\d+) to (\d+) ([█·]+) *(\d+) of (\d+)$", text, re.M)
    assert [tuple(map(int, (b[0], b[1], b[3], b[4]))) for b in bars] == [
        (s["first"], s["last"], s["alive"], s["born"]) for s in finding["survival"]], text
    most = max(s["born"] for s in finding["survival"])
    for bar, span in zip(bars, finding["survival"]):
        assert len(bar[2]) == max(1, int(span["born"] / most * 40 + 0.5)), (bar, most)
        assert ("·" in bar[2]) <= (span["alive"] < span["born"]), bar
    assert all(len(line) <= 100 for line in text.splitlines()), text


def case_the_process_must_be_said_where_it_is_not_clear(scratch):
    report = recorded(scratch, FORKED, 200, 500)
    pids = [p["pid"] for p in report["processes"] if p["findings"]]
    assert len(pids) == 2, report
    done = tare("explain", "run", "1", cwd=scratch, status=2)
    assert f"{pids[0]}.1 " in done.stderr.decode() and f"{pids[1]}.1 " in done.stderr.decode(), done
    for pid in pids:
        text = tare("explain", "run", f"{pid}.1", cwd=scratch, status=0).stdout.decode()
        assert f" in process {pid}, " in text, text


def case_what_is_not_there(scratch):
    recorded(scratch, LEAK, 200, 500)
    done = tare("explain", "run", "99", cwd=scratch, status=2)
    assert b"there is no finding 99; there are: 1 " in done.stderr, done
    assert b"there is no finding 1;" in tare("explain", "run", "77.1", cwd=scratch, status=2).stderr


def case_why_shows_what_each_rule_said(scratch):
    report = recorded(scratch, LEAK, 200, 500)
    whole = tare("explain", "--why", "run", cwd=scratch, status=0).stdout.decode()
    one = tare("explain", "--why", "run", "1", cwd=scratch, status=0).stdout.decode()
    kind = report["processes"][0]["findings"][0]["kind"]
    order = ["Clock: ", "Suspected: ", "convicted: ", "Detector of ", f"Reported: {kind}, "]
    at = [whole.find(text) for text in order]
    assert -1 not in at and at == sorted(at), whole
    assert "convicted: " in one and f"Reported: {kind}, " in one and "Detector of" not in one, one
    done = tare("explain", "--why", "run", "99", cwd=scratch, status=2)
    assert b"there is no finding 99" in done.stderr, done


main(globals())
