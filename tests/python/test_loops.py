#!/usr/bin/env python3
# measured: yes
# suite: check
# limit: 120
"""The clock of plain Python programs: turns of the outermost loop, counted without tracing."""
from python_case import PYTHON, clocks, folder, interpreters, judged, root, steps, tare

ONE_LINE = """
keep = []
for i in range(400):
    keep.append(bytearray(100000))
"""

# The readers hold each other through `self`: the interpreter closes them when it ends, one after the other.
ENDS_IN_A_CYCLE = """
import time
class Readers:
    def __init__(self):
        self.open = []
    def rows(self):
        block = bytearray(80000)
        for number in range(100):
            yield block[number]
    def peek(self):
        self.open.append(self.rows())
        return next(self.open[-1])
def main():
    readers = Readers()
    for _ in range(200):
        readers.peek()
        time.sleep(0.005)
main()
"""

IN_MAIN = """
def make(n):
    return [bytearray(70000) for _ in range(n)]
def main():
    keep, i = [], 0
    while True:
        x = make(3)
        y = make(2)
        keep.append(x[0])
        i += 1
        if i == 250:
            break
if __name__ == "__main__":
    main()
"""

# Two loops, one after the other; the first is over when the second counts.
TWO = """
import time
def first():
    for i in range(100):
        a = bytearray(90000)
        b = bytearray(90000)
def second():
    time.sleep(1.2)
    for i in range(200):
        a = bytearray(90000)
        b = bytearray(90000)
first()
second()
"""

# The inner loop turns too seldom to be a clock.
INNER = """
import time
for i in range(150):
    for j in range(3):
        a = bytearray(80000)
        b = bytearray(80000)
    c = bytearray(80000)
    time.sleep(0.004)
"""

RECURSION = """
import time
def down(n):
    x = bytearray(70000)
    return len(x) if n == 0 else down(n - 1)
for i in range(100):
    down(20)
    time.sleep(0.005)
"""

GENERATOR = """
def batches(n):
    for i in range(n):
        yield bytearray(80000)
total = 0
for batch in batches(300):
    total += len(bytearray(batch))
"""

NO_LOOP = """
a = [bytearray(70000) for _ in range(4)]
b = bytes(9000000)
"""


def turns(text, python=PYTHON):
    run = tare.traced([python, folder(work=text) / "work.py"])
    assert (run.status, run.err) == (0, b""), run.err.decode()
    return clocks(run).get("loop", 0), run


def near(text, truth, python=PYTHON, seen=0.85):
    """Turns may be missed; a few may be counted twice, where one of them was interrupted."""
    count, run = turns(text, python)
    judged(truth * seen <= count <= truth * 1.15, f"{python}: {count} turns of {truth}")
    return run


def one_line():
    run = near(ONE_LINE, 400)
    judged(steps(run)[0] == "loop", steps(run))
    judged(root(run)["verdict"] == "retained", root(run)["answer"])
    judged("turns of a loop are counted; some may be missed" in root(run)["steps"]["reason"])


def in_main():
    near(IN_MAIN, 250)


def two_loops():
    near(TWO, 300)


def inner_loop():
    """Its first turns pass before every block of this size is looked at; on a busy machine more of them."""
    near(INNER, 150, seen=0.6)


def the_end_of_the_interpreter_is_no_turn():
    for _ in range(4):
        run = near(ENDS_IN_A_CYCLE, 200)
        judged(root(run)["verdict"] == "retained", root(run)["answer"])


def called_again_and_again():
    near(RECURSION, 100)


def generator():
    near(GENERATOR, 300)


def no_loop():
    judged(turns(NO_LOOP)[0] == 0)


def every_version():
    for version, path in interpreters().items():
        if (3, 9) <= tuple(map(int, version.split("."))) <= (3, 13):
            near(IN_MAIN, 250, path)
            near(ONE_LINE, 400, path)


tare.Cases().each({function.__name__: function for function in (
    one_line, in_main, two_loops, inner_loop, called_again_and_again, generator, no_loop,
    the_end_of_the_interpreter_is_no_turn, every_version)})
