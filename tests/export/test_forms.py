#!/usr/bin/env python3
# measured: yes
# limit: 120
"""Exports say what the report says; nothing hostile passes through them."""
import csv
import io
import json
import random
import re
import sys
import xml.etree.ElementTree as xml

from exporting import (SCRATCH, TARE, export, hostile, native, plain, python, report, the_finding,
                       without_finding)
from tare import ROOT, Cases, fresh, judged

FORMS = ("pprof", "speedscope", "collapsed", "csv", "trace", "sarif", "junit", "markdown", "issue",
         "openmetrics")
leaky, clean = native(), native("clean")


def sarif_stands_where_the_finding_is():
    log = json.loads(export(leaky, "sarif"))
    results = log["runs"][0]["results"]
    process, finding = the_finding(leaky)
    assert len(results) == 1 and results[0]["ruleId"] == finding["kind"], results
    assert results[0]["level"] == "error" and results[0]["message"]["text"].startswith(finding["summary"])
    place = finding["stored_at"] or finding["allocated_at"][0]
    physical = results[0]["locations"][0]["physicalLocation"]
    assert physical["region"]["startLine"] == place["line"], (physical, place)
    assert physical["artifactLocation"]["uri"] == "file://" + place["file"], physical
    rule = log["runs"][0]["tool"]["driver"]["rules"][results[0]["ruleIndex"]]
    assert rule["id"] == finding["kind"], rule
    assert json.loads(export(without_finding(clean), "sarif"))["runs"][0]["results"] == []


def sarif_paths_below_here_are_relative():
    done = plain([TARE, "export", "--format", "sarif", leaky], cwd=SCRATCH)
    location = json.loads(done.out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "train.c", "uriBaseId": "SRCROOT"}, location


def junit_fails_with_the_finding():
    process, finding = the_finding(leaky)
    suite, = xml.fromstring(export(leaky, "junit"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("1", "1", "0"), suite.attrib
    failure = suite.find("testcase/failure")
    assert failure.get("message") == finding["summary"] and failure.get("type") == finding["kind"]
    for sentence in [*finding["evidence"], finding["remedy"]["text"]]:
        assert sentence in failure.text, failure.text
    suite, = xml.fromstring(export(without_finding(clean), "junit"))
    assert suite.get("failures") == "0" and suite.find("testcase/failure") is None


def markdown_has_the_answer_and_the_table():
    text = export(leaky, "markdown").decode()
    answer = report(leaky)
    process, finding = the_finding(leaky)
    assert text.startswith("### Does it leak? " + answer["answer"]), text
    assert f"| {finding['number']} | {finding['kind']} | " in text, text
    assert text.count("<details>") == text.count("</details>") == 1, text
    assert "| verdict |" not in export(without_finding(clean), "markdown").decode()


def csv_is_the_timeline():
    rows = list(csv.DictReader(io.StringIO(export(leaky, "csv").decode())))
    process = report(leaky)["processes"][0]
    assert int(rows[-1]["mark"]) == process["steps"]["count"] == 200, rows[-1]
    live = [int(row["live_bytes"]) for row in rows]
    assert live == sorted(live) and 19_000 < (live[-1] - live[10]) / (len(live) - 11) < 21_000, live[-5:]
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds) and seconds[-1] <= process["seconds"] + 0.1
    clocks = re.findall(r"^CLOCK\(\d+, (\w+),", (ROOT / "src/ledger/clocks.def").read_text(), re.M)
    assert set(clocks) <= set(rows[-1]) and len(rows[-1]) == 14 + len(clocks), rows[-1]
    assert None not in rows[-1], rows[-1]


def trace_has_counters_and_names():
    events = json.loads(export(leaky, "trace"))["traceEvents"]
    process = report(leaky)["processes"][0]
    named = [e for e in events if e["ph"] == "M"]
    assert [(e["pid"], e["args"]["name"]) for e in named] == [(process["pid"], process["program"])], named
    live = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "live heap"]
    rows = list(csv.DictReader(io.StringIO(export(leaky, "csv").decode())))
    assert live == [int(row["live_bytes"]) for row in rows], (len(live), len(rows))
    assert any(e["ph"] == "i" and e["name"] == "trim" for e in events), "the trim is marked"


def collapsed_adds_up():
    sums = {}
    for name in ("inuse_space", "alloc_space", "peak_space", "growth_space", "inuse_objects"):
        lines = export(leaky, "collapsed", "--value", name).decode().splitlines()
        sums[name] = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in lines}
    inner = [stack for stack in sums["inuse_space"] if ";main (train.c:" in stack and "make_block" in stack]
    assert inner and all(stack.startswith("train;") for stack in sums["inuse_space"]), sums
    held = sum(sums["inuse_space"][stack] for stack in inner)
    judged(3_500_000 < held < 4_500_000, held)
    judged(sum(sums["alloc_space"].values()) > held and 15_000 < sum(sums["growth_space"].values()) < 25_000)
    judged(150 < sum(sums["inuse_objects"].values()) < 260, sums["inuse_objects"])


def python_frames_are_told_apart():
    run = python()
    lines = export(run, "collapsed").decode().splitlines()
    wanted = [line for line in lines if re.search(
        r"remember \(leak_program.py:\d+\);make_buffer \(leak_program.py:22\)", line)]
    assert wanted, lines[:20]
    judged(sum(int(line.rpartition(" ")[2]) for line in wanted) > 4_000_000, wanted)


def hostile_names_do_no_harm():
    run = hostile()
    for form in FORMS:
        out = export(run, form)
        if form == "pprof":
            continue
        text = out.decode("utf-8")
        assert "\033" not in text and "‮" not in text and "\a" not in text, form
        if form in ("speedscope", "sarif", "trace"):
            json.loads(text)
        if form == "junit":
            xml.fromstring(text)
        if form == "markdown":
            assert "<script>" not in text
        if form == "collapsed":
            assert all(re.search(r" \d+$", line) for line in text.splitlines()), text


def broken_ledgers_are_refused_or_read():
    small = fresh("small")
    assert plain([TARE, "strip", "-o", small, leaky]).status == 0
    whole = next(path for path in small.glob("*.tare") if path.name != "run.tare").read_bytes()
    chance = random.Random(7)
    home = fresh("broken")
    home.mkdir()
    for number in range(25):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 40)):
            at = chance.choice((chance.randrange(4096), chance.randrange(len(whole))))
            damaged[at] = chance.randrange(256)
        if number % 3 == 0:
            del damaged[chance.randrange(4096, len(whole)):]
        (home / "77.0.tare").write_bytes(damaged)
        commands = [["export", "--format", form, home] for form in chance.sample(FORMS, 3)]
        commands += [["strip", "--redact", "-o", fresh("stripped"), home], ["check", home],
                     ["diff", leaky, home]]
        for words in commands:
            done = plain([TARE, *words])
            assert done.status in (0, 1, 3, 65), (words, done.status, done.err)


def output_goes_where_it_should():
    target = SCRATCH / "out.json"
    assert export(leaky, "sarif", "-o", target) == b""
    assert json.loads(target.read_text())["version"] == "2.1.0"
    assert b"unknown format \"svg\"; choose one of: pprof, " in plain(
        [TARE, "export", "--format", "svg", leaky]).err
    assert plain([TARE, "export", "--format", "svg", leaky]).status == 2
    assert plain([TARE, "export", "--format", "collapsed", "--value", "love", leaky]).status == 2
    assert plain([TARE, "export", leaky]).status == 2
    assert plain([TARE, "export", "--format", "csv", "-o", SCRATCH / "no" / "where", leaky]).status == 74
    assert plain([TARE, "export", "--format", "csv", "-o", "/dev/full", leaky]).status == 74
    assert plain([TARE, "export", "--format", "csv", SCRATCH / "nothing"]).status == 74


Cases().each({name: case for name, case in list(globals().items())
              if callable(case) and getattr(case, "__module__", "") == "__main__"})
