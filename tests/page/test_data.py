#!/usr/bin/env python3
# limit: 120
# measured: yes
"""What `tare view` puts into the page, looked at without a browser; and what it says when it cannot."""
import json
import subprocess
import sys

from paging import ROOT, SCRATCH, TARE, data_of, hostile_program, plain, view
from exporting import native, python, report
from tare import Cases, fresh, judged, traced
import forging  # noqa: E402


def same_report():
    directory = native()
    page = view(directory)
    data = data_of(page)
    assert page.stat().st_size < 2 << 20, page.stat().st_size
    assert data["report"] == report(directory)


def sums_stay_true():
    """Stacks and curves are those of the run: what is left out is told."""
    directory = python()
    data, answer = data_of(view(directory, name="python")), report(directory)
    index = [value["name"] for value in data["values"]].index("live_bytes")
    for stacks, process in zip(data["stacks"], answer["processes"]):
        largest = max((site["live_bytes"] for site in process["sites"]["live"]), default=0)
        all_of = [sample[1][index] for sample in stacks["samples"]]
        assert max(all_of) == largest, (max(all_of), largest)
        assert stacks["rest"]["stacks"] >= 0
    line = data["timelines"][0]
    assert len(line["seconds"]) == len(line["resident"]) == len(line["tick"]) > 50
    assert line["seconds"] == sorted(line["seconds"])
    assert max(line["resident"]) <= answer["processes"][0]["memory"]["resident_peak"]
    path = next(f for f in data["files"] if f["path"].endswith("leak_program.py"))
    assert "kept.append(make_buffer(size))" in "\n".join(sum((part["lines"] for part in path["parts"]), []))


LOCAL = """
import time

def work():
    kept = []
    for number in range(300):
        kept.append(bytearray(40_000))
        time.sleep(0.003)

work()
"""


def what_is_released_at_the_end_is_shown():
    """The list is a local variable: when the process ends, all is free. The page is about the time before."""
    script = SCRATCH / "local.py"
    script.write_text(LOCAL)
    done = traced(["python3", script], timeout=60)
    assert done.status == 0, done.err
    data = data_of(view(done.directory, name="local"))
    process, = [one for one in data["report"]["processes"] if one["speaks"]]
    judged(process["verdict"] == "retained", process["answer"])
    finding = process["findings"][0]
    line = finding["allocated_at"][0]["line"]
    growing = process["sites"]["growing"][0]
    assert growing["allocated_at"][0]["line"] == line, growing
    rate = finding["bytes_per_step"]["estimate"]
    judged(abs(growing["growth_per_step"] - rate) < 0.2 * rate, (growing["growth_per_step"], rate))
    names = [value["name"] for value in data["values"]]
    stacks, = [one for one in data["stacks"] if one["pid"] == process["pid"]]
    live, births = max((sample[1][names.index("live_bytes")], sample[2]) for sample in stacks["samples"])
    assert live > 0.8 * 300 * 40_000 * process["steps"]["count"] / 300, (live, process["steps"])
    assert len([born for born in births if born > 0]) > 10, births


def redacted():
    directory = python()
    page = view(directory, "--redact", name="redacted")
    text = json.dumps(data_of(page))
    assert data_of(page)["files"] == []
    for name in ("leak_program", "make_buffer", "remember", str(ROOT)):
        assert name not in text, name
    assert "make_buffer" in json.dumps(data_of(view(directory, name="open")))


def long_texts_are_cut():
    data = json.dumps(data_of(view(hostile_program(), name="long")))
    assert "x" * 2500 not in data and "y" * 2500 not in data and "x" * 500 in data


def only_recorded_source_is_opened():
    """A script of any name is shown if the program ran it; a file that a forged ledger names is not."""
    place = SCRATCH / "forged"
    place.mkdir()
    script, secret = place / "training-script", place / "id_rsa.py"
    script.write_text((ROOT / "tests/export/leak_program.py").read_text())
    secret.write_text("the key\n" * 400)
    done = traced(["python3", script, 100], ["--rate", "16K"], timeout=60)
    assert done.status == 0, done.err
    data = data_of(view(done.directory, name="honest"))
    assert [file["path"] for file in data["files"] if file["parts"]] == [str(script)], data["files"]
    forging.rename(done.directory, script, secret)
    data = data_of(view(done.directory, name="forged"))
    assert "the key" not in json.dumps(data)
    shown = [(file["path"], file["changed"], file["parts"]) for file in data["files"]]
    assert shown == [(str(secret), True, [])], shown


def run_writes_it():
    page = fresh("page")
    done = traced(["true"], ["--html", page])
    if b"built without the page" not in done.err:
        assert done.status == 0 and data_of(page)["report"]["schema"] == 1, done.err
    refused = traced(["true"], ["--html", SCRATCH / "nowhere" / "page.html"])
    assert refused.status == 0 and b"there will be no page" in refused.err, refused.err


def refusals():
    done = plain([TARE, "view", SCRATCH / "not-there"])
    assert done.status == 74 and not (SCRATCH / "not-there.html").exists(), done.err
    assert plain([TARE, "view", "--open", "perhaps", SCRATCH]).status == 2
    done = plain([TARE, "view", "--open", "no", "-o", SCRATCH / "no" / "page.html", native()])
    assert done.status == 74 and b"could not be written" in done.err, done.err


def without_npm():
    """Built where there is no npm, tare is whole but for the page, and says what to install."""
    made, program = SCRATCH / "template.c", SCRATCH / "tare"
    bundle = subprocess.run(["/usr/bin/env", "-i", "PATH=" + str(only_python()), str(ROOT / "tools/bundle"),
                             "--modules", SCRATCH / "none", made], capture_output=True, text=True)
    assert bundle.returncode == 0 and "there is no npm" in bundle.stderr, bundle.stderr
    objects = [str(p) for p in (ROOT / "build/src").rglob("*.o") if "/probe/" not in str(p)]
    curses = ["-lncursesw", "-ltinfo"] if (ROOT / "build/src/live/screen.o").exists() else []
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-I", ROOT / "src", "-o", program, made, *objects,
                    "-ldw", "-lelf", "-lz", "-lm", *curses], check=True)
    done = plain([program, "view", native()])
    assert done.status == 74 and b"install npm" in done.err, done.err


def only_python():
    place = SCRATCH / "path"
    place.mkdir()
    (place / "python3").symlink_to(sys.executable)
    return place


Cases().each({
    "the-report-is-inside": same_report,
    "sums-stay-true": sums_stay_true,
    "what-is-released-at-the-end-is-shown": what_is_released_at_the_end_is_shown,
    "redacted-holds-no-name": redacted,
    "long-texts-are-cut": long_texts_are_cut,
    "only-recorded-source-is-opened": only_recorded_source_is_opened,
    "run-writes-it": run_writes_it,
    "refusals": refusals,
    "built-without-npm": without_npm,
})
