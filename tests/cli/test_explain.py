#!/usr/bin/env python3
"""`tare explain`: one finding in full."""
import json
import re

from clitest import LEAK, main, marked, script, tare

FORKED = LEAK.replace("int main(", "#include <sys/wait.h>\nint main(").replace(
    "    for (long i", "    const pid_t child = fork();\n\n    for (long i").replace(
    "    return 7;", "    if (child)\n        waitpid(child, NULL, 0);\n    return 7;")

# The child keeps at a line of its own, and less.
TWO_LEAKS = FORKED.replace("static void *keep(size_t size)", """static void *keep_more(size_t size)
{
    return memset(malloc(3 * size), 1, 3 * size);
}

static void *keep(size_t size)""").replace("= keep(size);", "= child ? keep_more(size) : keep(size);")


def recorded(scratch, source, *words):
    tare("run", "-q", "-o", "run", "--", marked(scratch, "program", source), *words, cwd=scratch,
         status=7)
    return json.loads(tare("report", "--json", "run", cwd=scratch).stdout)


def case_everything_about_a_finding(scratch):
    report = recorded(scratch, LEAK, 200, 500)
    finding = report["processes"][0]["findings"][0]
    text = tare("explain", "run", finding["id"], cwd=scratch, status=0).stdout.decode()
    flat = " ".join(text.split())
    assert text.startswith(f"{finding['number']}. {finding['kind']} in process "), text
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


def case_a_finding_of_two_processes_has_one_number(scratch):
    report = recorded(scratch, FORKED, 200, 500)
    found = {p["pid"]: p["findings"][0] for p in report["processes"] if p["findings"]}
    assert [one["number"] for one in found.values()] == [1, 1], report
    speaker, = [p["pid"] for p in report["processes"] if p["speaks"]]
    text = tare("explain", "run", "1", cwd=scratch, status=0).stdout.decode()
    assert f" in process {speaker}, " in text, text
    for pid in found:
        text = tare("explain", "run", f"{pid}.1", cwd=scratch, status=0).stdout.decode()
        assert text.startswith("1. ") and f" in process {pid}, " in text, text


def case_numbers_count_through_the_whole_run(scratch):
    """Two processes that leak at lines of their own: every form of the report calls them 1 and 2."""
    report = recorded(scratch, TWO_LEAKS, 200, 500)
    owners = {f["number"]: (p["pid"], f["id"], f["kind"]) for p in report["processes"] for f in p["findings"]}
    assert sorted(owners) == [1, 2] and [one[1] for one in owners.values()] == [1, 1], owners
    speaker, = [p["pid"] for p in report["processes"] if p["speaks"]]
    assert owners[1][0] == speaker, (owners, speaker)
    text = tare("report", "run", cwd=scratch).stdout.decode()
    shown = re.findall(r"^(\d+)\. \w+( in process (\d+))?", text, re.M)
    assert [one[0] for one in shown] == ["1", "2"] and shown[1][2] == str(owners[2][0]), shown
    for number, (pid, _, kind) in owners.items():
        text = tare("explain", "run", number, cwd=scratch, status=0).stdout.decode()
        assert text.startswith(f"{number}. {kind} in process {pid}"), text

    def exported(form):
        return tare("export", "--format", form, "run", cwd=scratch).stdout.decode()
    assert re.findall(r"^\| (\d+) \|", exported("markdown"), re.M) == ["1", "2"]
    assert sorted(re.findall(r'name="(\d+) ', exported("junit"))) == ["1", "2"]
    results = json.loads(exported("sarif"))["runs"][0]["results"]
    assert {r["properties"]["number"]: r["properties"]["pid"] for r in results} == {
        number: one[0] for number, one in owners.items()}, results
    for number, (pid, *_) in owners.items():
        assert re.search(f'process="{pid}.0".*number="{number}"', exported("openmetrics")), owners
    lines = json.loads(tare("check", "--json", "run", cwd=scratch).stdout)["lines"]
    assert {line["number"]: line["pid"] for line in lines if line["finding"]} == {
        number: one[0] for number, one in owners.items()}, lines


def case_launchers_are_not_among_the_processes(scratch):
    """As pyenv's shim does it: a shell asks other shells, then becomes the program. Each allocates enough
    to have a ledger."""
    program = marked(scratch, "program", LEAK)
    shim = script(scratch, "shim",
                  f'#!/bin/bash\nfor i in 1 2 3; do bash -c "printf -v x %0400000d 1"; done\n'
                  f'exec {program} "$@"\n')
    tare("run", "-q", "-o", "run", "--", shim, 200, 500, cwd=scratch, status=7)
    report = json.loads(tare("report", "--json", "run", cwd=scratch).stdout)
    speaker, = [p for p in report["processes"] if p["speaks"]]
    assert speaker["program"] == str(program), speaker["program"]
    assert len(report["processes"]) >= 5, report["processes"]
    assert all(p["launcher"] and p["passed_over"] for p in report["processes"] if p is not speaker), report
    assert b"Processes" not in tare("report", "run", cwd=scratch).stdout

    def exported(form):
        return tare("export", "--format", form, "run", cwd=scratch).stdout.decode()
    assert exported("junit").count("<testsuite ") == 1, exported("junit")
    assert exported("markdown").count("- process ") == 1, exported("markdown")
    assert "bash;" not in exported("collapsed"), exported("collapsed")


def case_what_is_not_there(scratch):
    recorded(scratch, LEAK, 200, 500)
    done = tare("explain", "run", "99", cwd=scratch, status=2)
    assert b"there is no finding 99; there are: 1 " in done.stderr, done
    done = tare("explain", "run", "77.1", cwd=scratch, status=2)
    assert b"process 77 has no finding 1; there are: 1 " in done.stderr, done


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
