#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 400
"""What each line of a Python function adds, keeps and releases: against the exact truth."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from python_case import PYTHON, environments, folder, interpreters, judged, tare  # noqa: E402

OLDEST = (3, 9)  # whose frames the probe knows
CALLS = 7
EXACT = """
slots = [None] * 100
bytes(100), bytearray(100)
def truth(turn):
    slots[turn] = bytes(100)
    large = bytearray(50000)
    size = not bytearray(60000)
    small = len(bytes(200))
    del large
    twice = bytearray(30000), bytearray(40000)
    return None
for turn in range(CALLS):
    truth(turn)
""".replace("CALLS", str(CALLS))


def heap(size):
    """Usable bytes that glibc gives for this many."""
    return max(24, (size + 8 + 15) // 16 * 16 - 8)


def array(size):
    """A bytearray: its object of 56 bytes from the interpreter, its bytes and a zero from malloc."""
    return 64 + heap(size + 1)


BYTES_100 = (33 + 100 + 15) // 16 * 16
BYTES_200 = (33 + 200 + 15) // 16 * 16
PAIR = 64  # a tuple of two, with its head for the collector; released ones are kept for the next
TRUTH = {  # line of the function: bytes added and released in each call
    1: (BYTES_100, 0),
    2: (array(50000), 0),
    3: (array(60000), array(60000)),
    4: (BYTES_200, BYTES_200),
    5: (0, array(50000)),
}


def supported():
    return {version: path for version, path in interpreters().items()
            if tuple(int(part) for part in version.split(".")) >= OLDEST}


def measured(directory):
    done = tare.plain([tare.TARE, "lines", "--json", "-", directory])
    assert done.status == 0, done.err.decode()
    return {function["function"]: function for function in json.loads(done.out)["functions"]}


def run(source, *functions, python=PYTHON, name="program", status=0):
    """{function: its table} of a program run by `tare lines`, with {line: row} in it."""
    program = folder(**{name: source}) / f"{name}.py"
    directory = tare.fresh()
    marks = [word for function in functions for word in ("--function", function)]
    verb = ["lines", *marks] if functions else ["run"]
    done = tare.plain([tare.TARE, *verb, "-q", "-o", directory, "--", python, program])
    assert done.status == status, done.err.decode()
    tables = measured(directory)
    for table in tables.values():
        table["rows"] = {row["line"] - table["first_line"]: row for row in table["lines"]}
    run.last = tare.Result(done.status, done.out, done.err, directory)
    return tables


def each_interpreter_tells_the_exact_truth():
    for version, path in supported().items():
        table = run(EXACT, "truth", python=path)["truth"]
        assert table["calls"] == CALLS and table["small_objects"] and table["variables"], table
        for line, (added, released) in TRUTH.items():
            row = table["rows"][line]
            assert row["hits"] == CALLS, (version, row)
            assert (row["added"], row["released"]) == (added * CALLS, released * CALLS), \
                (version, line, row, added * CALLS, released * CALLS)
        # What the variables held is released on the line that ends the call, to the byte but for
        # the tuple, which the interpreter keeps for the next one.
        made, ended = table["rows"][6], table["rows"][7]
        both = array(30000) + array(40000)
        assert 0 <= made["kept"] - both * CALLS <= PAIR, (version, made)
        assert -PAIR <= ended["kept"] + both * CALLS <= 0, (version, ended)
        kept = sum(row["kept"] for row in table["lines"])
        assert BYTES_100 * CALLS <= kept <= BYTES_100 * CALLS + PAIR, (version, kept)


RECURSION = """
kept = []
def tree(depth):
    node = bytearray(10000)
    if depth:
        tree(depth - 1)
        tree(depth - 1)
    kept.append(bytearray(5000))
def outer():
    tree(3)
tree(0)
outer()
"""


def recursion_counts_each_byte_once():
    tables = run(RECURSION, "tree", "outer")
    rows = tables["tree"]["rows"]
    assert tables["tree"]["calls"] == 16
    assert rows[1]["added"] == 16 * array(10000), rows[1]
    assert abs(rows[3]["added"]) + abs(rows[4]["added"]) < 2000, (rows[3], rows[4])
    assert rows[5]["kept"] + 16 * array(10000) - 16 * array(5000) in range(0, 1500), rows[5]
    whole = tables["outer"]["rows"][1]
    assert 15 * array(5000) <= whole["kept"] < 15 * array(5000) + 1500, whole


GENERATOR = """
def batches(count):
    for turn in range(count):
        batch = bytearray(20000)
        yield batch
        size = not bytearray(6000)
def consume():
    for batch in batches(5):
        other = bytearray(9000)
consume()
def failing():
    held = bytearray(7000)
    raise ValueError
try:
    failing()
except ValueError:
    pass
closing = batches(2)
next(closing)
closing.close()
throwing = batches(2)
next(throwing)
try:
    throwing.throw(KeyError)
except KeyError:
    pass
"""


def generators_and_exceptions():
    for version, path in supported().items():
        tables = run(GENERATOR, "batches", "failing", python=path)
        rows = tables["batches"]["rows"]
        assert tables["batches"]["calls"] == 3, (version, tables["batches"]["calls"])
        assert rows[2]["added"] == 7 * array(20000), (version, rows[2])
        assert rows[3]["hits"] == 7 and rows[3]["added"] < 2000, (version, rows[3])
        assert rows[4]["hits"] == 5 and rows[4]["added"] == 5 * array(6000), (version, rows[4])
        assert tables["failing"]["rows"][1]["added"] == array(7000), version
        assert tables["failing"]["rows"][2]["hits"] == 1, version


NAMES = """
import tare
class Model:
    def build(self):
        self.weights = bytearray(8000)
    @staticmethod
    def load():
        return bytearray(3000)
class Other:
    def build(self):
        pass
def build():
    def inner():
        return bytearray(1500)
    return inner()
@tare.lines
def decorated():
    return len(bytearray(2500))
def unmarked():
    return bytearray(100)
Model().build(), Other().build(), Model.load(), build(), decorated(), unmarked()
"""


def functions_are_found_by_their_names():
    for version, path in supported().items():
        found = set(run(NAMES, "Model.build", "program:Model.load", "build.inner", python=path))
        assert found == {"Model.build", "Model.load", "decorated"} | \
            ({"build.<locals>.inner"} if version not in ("3.9", "3.10") else set()), (version, found)
        assert set(run(NAMES, python=path)) == {"decorated"}, version
    assert set(run(NAMES, "build")) == {"Model.build", "Other.build", "build", "decorated"}
    assert set(run(NAMES, "json:dumps")) == {"decorated"}


TRACED = """
import sys
def one():
    return bytearray(4000)
one()
sys.settrace(lambda *event: None)
one()
found = sys.gettrace() is not None
sys.settrace(None)
one()
print(found, sys.gettrace())
"""


def the_programs_own_tracer_stays():
    for version, path in supported().items():
        table = run(TRACED, "one", python=path)["one"]
        assert run.last.out == b"True None\n", (version, run.last.out)
        if tuple(int(part) for part in version.split(".")) >= (3, 12):
            assert table["calls"] == 3, (version, table["calls"])
        else:
            assert table["calls"] == 2, (version, table["calls"])
            notes = tare.root_process(run.last.report())["notes"]
            assert any("tracer of the program's own" in note for note in notes), (version, notes)


THREADS = """
import threading
def job():
    for turn in range(100):
        block = bytearray(5000)
threads = [threading.Thread(target=job) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
import os
if os.fork() == 0:
    job()
    raise SystemExit
os.wait()
"""


def threads_and_children():
    for version, path in supported().items():
        program = folder(program=THREADS) / "program.py"
        directory = tare.fresh()
        done = tare.plain([tare.TARE, "lines", "-F", "job", "-q", "-o", directory, "--", path, program])
        assert done.status == 0, done.err.decode()
        answer = json.loads(tare.plain([tare.TARE, "lines", "--json", "-", directory]).out)
        calls = sorted(function["calls"] for function in answer["functions"])
        assert calls == [1, 4], (version, calls)
        for function in answer["functions"]:
            row = next(row for row in function["lines"] if row["hits"] == 100 * function["calls"])
            assert row["added"] == row["hits"] * array(5000), (version, row)


def the_table_is_printed():
    run(EXACT, "truth")
    shown = run.last.err.decode()
    assert "truth  " in shown and f", {CALLS} calls" in shown, shown
    assert "slots[turn] = bytes(100)" in shown and "added   released       kept" in shown, shown
    again = tare.plain([tare.TARE, "lines", run.last.directory])
    assert again.out.decode() == shown, again.out.decode()
    none = tare.plain([tare.TARE, "lines", "-q", "-F", "nobody", "-o", tare.fresh(), "--", PYTHON,
                       "-c", "pass"])
    assert none.status == 0 and b"no function of that name" in none.err, none.err


NUMPY = """
import numpy
def arrays():
    kept = numpy.ones(200000)
    part = kept[:1000] * 2
    lost = float((numpy.zeros(100000) + 1).sum())
    return kept
held = [arrays() for _ in range(4)]
"""


def numpy_arrays():
    table = run(NUMPY, "arrays", python=environments.ready("notebook"))["arrays"]
    kept, part, lost = (table["rows"][line] for line in (1, 2, 3))
    assert 4 * 1600000 <= kept["kept"] <= 4 * 1600000 + 20000, kept
    judged(kept["resident"] > 1600000, kept)
    assert 4 * 8000 <= part["added"] <= 4 * 8500, part
    assert lost["added"] >= 4 * 800000 and abs(lost["kept"]) < 4096, lost
    assert abs(sum(row["kept"] for row in table["lines"]) - 4 * 1600000) < 30000, table["lines"]


PROFILED = """
import sys
DECORATOR
def build():
    a = bytearray(b"x") * (40 << 20)
    b = bytearray(b"x") * (30 << 20)
    del a
    c = bytearray(b"x") * (20 << 20)
    return b
build()
"""


def as_memory_profiler():
    """Large known allocations: both say the same, within a megabyte."""
    python = environments.ready("notebook")
    peer = folder(peer=PROFILED.replace("DECORATOR", "from memory_profiler import profile\n@profile"))
    done = tare.plain([python, peer / "peer.py"])
    theirs = {}
    for line in done.out.decode().splitlines():
        words = line.split()
        if len(words) > 5 and words[0].isdigit() and words[2] == "MiB" and words[4] == "MiB":
            theirs[" ".join(words[6:])] = float(words[3])
    rows = run(PROFILED.replace("DECORATOR", ""), "build", python=python)["build"]["rows"]
    texts = {1: 'a = bytearray(b"x") * (40 << 20)', 2: 'b = bytearray(b"x") * (30 << 20)',
             3: "del a", 4: 'c = bytearray(b"x") * (20 << 20)'}
    for line, text in texts.items():
        judged(abs(rows[line]["kept"] / (1 << 20) - theirs[text]) < 1, (text, rows[line], theirs))
        judged(abs(rows[line]["resident"] / (1 << 20) - theirs[text]) < 1, (text, rows[line], theirs))


REPORT = """
import tare
held = []
for turn in range(300):
    held.append(bytearray(30000))
    tare.step()
answer = tare.report()
print(answer["verdict"], answer["processes"][0]["steps"]["count"] >= 300)
"""


def the_report_as_objects():
    program = folder(program=REPORT) / "program.py"
    done = tare.traced([PYTHON, program])
    verdict, _, counted = done.out.partition(b" ")
    assert done.status == 0 and counted == b"True\n", (done.status, done.out, done.err)
    judged(verdict == b"retained", verdict)
    package = Path(tare.TARE).resolve().parent / "python"
    alone = tare.plain([PYTHON, "-c", "import tare; print(tare.report(), tare.lines(len) is len)"],
                       env=tare.environment(PYTHONPATH=package))
    assert alone.out == b"None True\n", alone.err


def the_module_is_the_program():
    package = Path(tare.TARE).resolve().parent / "python"
    program = folder(program="import sys; print(sys.argv[1:])") / "program.py"
    for words in (["run", "-q", "-o", tare.fresh(), program, "one"],
                  ["run", "-q", "-o", tare.fresh(), "--", PYTHON, program, "one"]):
        done = tare.plain([PYTHON, "-m", "tare", *words], env=tare.environment(PYTHONPATH=package))
        assert done.status == 0 and done.out == b"['one']\n", (done.out, done.err)
        assert tare.ledgers(words[3]), words


tare.Cases().each({function.__name__: function for function in (
    each_interpreter_tells_the_exact_truth, recursion_counts_each_byte_once,
    generators_and_exceptions, functions_are_found_by_their_names, the_programs_own_tracer_stays,
    threads_and_children, the_table_is_printed, numpy_arrays, as_memory_profiler,
    the_report_as_objects, the_module_is_the_program)})
