#!/usr/bin/env python3
# suite: check
# limit: 120
"""`tare report`: the right lines, a valid document, no harm from hostile texts, one sentence for
what is no ledger, and a full ledger within a second and 100 MB."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import schema  # noqa: E402
from ledgers import ROOT, SCRATCH, STATUS, TARE, build, make, report, run_cases, tare  # noqa: E402

program = build("make_ledger")
plain, lines = make(program)
SCHEMA = json.loads((ROOT / "docs/report.schema.json").read_text())
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f]")


def same(got, want):
    assert got == want, f"{got!r}, want {want!r}"


def text_names_the_allocating_lines():
    answer = tare("report", "-v", plain)
    text = answer.stdout.decode()
    same(answer.stderr, b"")
    assert text.startswith("Does it leak? "), text
    assert f"make_ledger.c:{lines['leak']} in inlined" in text, text
    assert f"make_ledger.c:{lines['table']} in table" in text, text
    assert "7 stacks ended early" in text, text
    assert "Process 4002 (static) was not traced: it is statically linked." in text, text
    assert not HARMFUL.search(text), "a control character in text that goes to no terminal"
    assert len(text.splitlines()) <= 50, f"{len(text.splitlines())} lines are no screen"


def the_short_text_fits_on_a_screen():
    text = tare("report", plain).stdout.decode()
    assert text.startswith("Does it leak? "), text
    assert "Process 4002 (static) was not traced: it is statically linked." in text, text
    assert not HARMFUL.search(text), "a control character in text that goes to no terminal"
    assert len(text.splitlines()) <= 24, f"{len(text.splitlines())} lines are no screen"


def json_fits_its_schema():
    document = report(plain)
    same(schema.errors(document, SCHEMA, SCHEMA), [])
    for name in ("schema", "tare", "verdict", "confidence", "processes"):
        broken = {key: value for key, value in document.items() if key != name}
        assert schema.errors(broken, SCHEMA, SCHEMA), f"the schema does not ask for {name}"
    same(len(schema.errors(dict(document, confidence=2), SCHEMA, SCHEMA)), 1)


def json_has_the_numbers_of_the_ledger():
    root, child = report(plain)["processes"]
    same((root["pid"], child["pid"], child["parent_pid"]), (4000, 4001, 4000))
    same(root["ended"], "exit 3")
    same(child["ended"], "killed by the kernel's OOM killer")
    same(root["memory"]["live_bytes"], 65536 + 100 * 4096)
    same(root["memory"]["resident_bytes"], 21 << 20)
    same(root["memory"]["resident_peak"], 30 << 20)
    account = root["account"]
    same(sum(line["bytes"] for line in account["lines"]) + account["remainder"], 21 << 20)
    same(root["peak"]["bytes"], 65536 + 100 * 4096)
    same(root["lost"], [{"what": "stacks ended early: code without unwind tables", "count": 7}])


def sites_are_named_and_ordered():
    root = report(plain)["processes"][0]
    leak, table = root["sites"]["live"]
    same([place["function"] for place in leak["allocated_at"][:3]], ["inlined", "leak", "main"])
    same(leak["allocated_at"][0]["line"], lines["leak"])
    same(leak["allocated_at"][0]["text"], None)  # these ledgers vouch for no source file
    same((leak["allocated_at"][0]["inlined"], leak["allocated_at"][1]["inlined"]), (True, False))
    assert leak["allocated_at"][0]["file"].endswith("tests/report/make_ledger.c"), leak
    same((leak["live_bytes"], leak["live_blocks"]), (409600, 100))
    same((table["live_bytes"], table["live_blocks"]), (65536, 2))  # of two size classes
    same(table["allocated_at"][0]["line"], lines["table"])
    growing = root["sites"]["growing"]
    same(len(growing), 1)
    same(growing[0]["growth_per_step"], 4096)
    same([site["live_bytes"] for site in root["peak"]["sites"]], [409600, 65536])


def one_ledger_alone_is_enough():
    processes = report(plain / "4000.0.tare")["processes"]
    same([process["pid"] for process in processes], [4000])
    same(processes[0]["sites"]["live"][0]["allocated_at"][0]["line"], lines["leak"])


def hostile_texts_do_no_harm():
    directory, _ = make(program, "hostile")
    text = tare("report", directory).stdout.decode()  # fails unless it is UTF-8
    assert "owned" in text and not HARMFUL.search(text), ascii(text)
    raw = tare("report", "--json", directory).stdout.decode()
    assert not HARMFUL.search(raw), ascii(raw)
    document = json.loads(raw)
    same(schema.errors(document, SCHEMA, SCHEMA), [])
    assert document["processes"][0]["program"].startswith("x\x1b]0;owned\a\r\n\t\ufffd"), raw


def colour_is_for_terminals_only():
    try:
        master, slave = os.openpty()
    except OSError:
        return "no terminal can be had here"
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run([TARE, "report", plain], stdout=slave, env=dict(environment, TERM="xterm"))
    os.close(slave)
    shown = os.read(master, 65536)
    os.close(master)
    assert b"\x1b[1m" in shown, shown[:200]
    assert b"\x1b" not in tare("report", plain).stdout


def a_replaced_program_is_not_believed():
    other = build("replaced")
    directory, _ = make(other)
    build("replaced", flags=("-O0", "-g"))
    root = report(directory)["processes"][0]
    same(root["sites"]["live"][0]["allocated_at"][0]["line"], None)
    assert root["sites"]["live"][0]["allocated_at"][0]["function"].startswith("replaced+0x"), root
    assert any("build-id differs" in note for note in root["notes"]), root["notes"]


def a_removed_program_still_has_a_report():
    other = build("removed")
    directory, _ = make(other)
    other.unlink()
    root = report(directory)["processes"][0]
    assert root["sites"]["live"][0]["allocated_at"][0]["function"].startswith("removed+0x"), root
    assert any("No such file" in note for note in root["notes"]), root["notes"]


def refused(path, status):
    answer = tare("report", path)
    same((answer.returncode, answer.stdout), (status, b""))
    message = answer.stderr.decode()
    assert message.startswith("tare: ") and message.count("\n") == 1, message
    return message


def what_is_no_ledger_gets_one_sentence():
    empty = SCRATCH / "empty.run"
    empty.mkdir()
    refused(empty, 65)
    refused(SCRATCH / "absent", 74)
    bad = SCRATCH / "bad.tare"
    whole = (plain / "4000.0.tare").read_bytes()[:8192]
    for content in (b"", b"hello\n", whole[:8], b"\x7fELF" + bytes(8192), bytes(8192)):
        bad.write_bytes(content)
        refused(bad, 65)
    bad.write_bytes(whole[:8] + (99).to_bytes(4, "little") + whole[12:])
    assert "newer" in refused(bad, 65)


def a_cut_ledger_is_read_as_far_as_it_goes():
    whole = (plain / "4000.0.tare").read_bytes()
    cut = SCRATCH / "cut.tare"
    for size in (4095, 4096, 4097, 100_000, 3_000_000, 20_000_000, len(whole) - 1):
        with open(cut, "wb") as out:
            out.write(whole[:size])
        answer = tare("report", "--json", cut)
        assert answer.returncode in (0, 1, 3, 65), f"{size}: {answer}"
        if answer.returncode != 65:
            same(schema.errors(json.loads(answer.stdout), SCHEMA, SCHEMA), [])


def a_run_with_an_unreadable_ledger_says_so():
    directory = SCRATCH / "mixed.run"
    shutil.copytree(plain, directory)
    (directory / "77.0.tare").write_bytes(b"not a ledger")
    notes = report(directory)["notes"]
    assert any("77.0.tare" in note for note in notes), notes


def wrong_words_are_a_usage_error():
    for words in ((), ("a", "b"), ("--nonsense", "a")):
        same(tare("report", *words).returncode, 2)


def a_full_ledger_takes_a_second_and_100_megabytes():
    directory, _ = make(program, "full")
    answer = SCRATCH / "full.json"
    # From a small process: a child's high-water mark begins with what its parent had at the fork.
    code = ("import os, resource, subprocess, sys\n"
            "status = subprocess.call(sys.argv[1:])\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "sys.stderr.write(f'{status} {used.ru_utime + used.ru_stime} {used.ru_maxrss}')\n")
    with open(answer, "wb") as out:
        said = subprocess.run([sys.executable, "-c", code, TARE, "report", "--json", directory],
                              stdout=out, stderr=subprocess.PIPE, text=True, check=True).stderr
    status, seconds, kilobytes = said.split()
    document = json.loads(answer.read_bytes())
    same(int(status), STATUS.get(document["verdict"], 0))
    assert document["processes"][0]["measured"]["samples"] > 200_000, "the ledger is not full"
    if "address" in TARE:
        return "sanitizers take more"
    assert float(seconds) < 1, f"{seconds} s"
    assert int(kilobytes) < 100 * 1024, f"{kilobytes} KB"


run_cases([text_names_the_allocating_lines, the_short_text_fits_on_a_screen,
           json_fits_its_schema,
           json_has_the_numbers_of_the_ledger, sites_are_named_and_ordered,
           one_ledger_alone_is_enough, hostile_texts_do_no_harm, colour_is_for_terminals_only,
           a_replaced_program_is_not_believed, a_removed_program_still_has_a_report,
           what_is_no_ledger_gets_one_sentence, a_cut_ledger_is_read_as_far_as_it_goes,
           a_run_with_an_unreadable_ledger_says_so, wrong_words_are_a_usage_error,
           a_full_ledger_takes_a_second_and_100_megabytes])
