"""Programs whose only memory is Python's small objects, and what must be said of them."""

BEGIN = """
import gc, sys, time, tare
kept, names, handlers, seen = [], {}, [], set()
steps = int(sys.argv[1])
def pause():
    time.sleep(0.002)
"""

# program: the line to be found, bytes per step at the least and at the most
LEAKS = {
    "ints_in_a_list": ("""
def collect(turn):
    for i in range(200):
        kept.append(turn * 1000 + i + 70000)  # HERE
for turn in range(steps):
    collect(turn)
    pause()
    tare.step()
""", 200 * 32, 200 * 40),
    "strings_in_a_dict": ("""
def remember(turn):
    for i in range(50):
        names[f"the name of {turn} and {i}"] = None  # HERE
for turn in range(steps):
    remember(turn)
    pause()
    tare.step()
""", 50 * 80, 50 * 200),
    "closures_in_a_registry": ("""
def register(turn):
    def handler():
        return turn
    handlers.append(handler)
for turn in range(1000, 1000 + steps):
    for _ in range(20):
        register(turn)  # or the function's own lines
    pause()
    tare.step()
""", 20 * 150, 20 * 300),
    "tuples_in_a_set": ("""
def visit(turn):
    for i in range(100):
        seen.add((turn, i))  # HERE
for turn in range(1000, 1000 + steps):
    visit(turn)
    pause()
    tare.step()
""", 100 * 56, 100 * 140),
}

CLEAN = {
    "the_same_churn_kept_by_nobody": """
for turn in range(steps):
    values = [turn * 1000 + i + 70000 for i in range(500)]
    table = {str(value): (value, turn) for value in values}
    pause()
    tare.step()
""",
    "a_table_that_is_full_soon": """
for turn in range(steps):
    for i in range(100):
        names[(turn * 7919 + i * 104729) % 600] = str(turn)
    pause()
    tare.step()
""",
    "cycles_with_the_collector_on": """
class Node:
    def __init__(self):
        self.me = self
for turn in range(steps):
    for i in range(100):
        Node()
    pause()
    tare.step()
""",
    "a_ring_of_the_latest": """
from collections import deque
latest = deque(maxlen=2000)
for turn in range(steps):
    for i in range(50):
        latest.append((turn, i, turn + i))
    pause()
    tare.step()
""",
}

LAG = """
class Node:
    def __init__(self):
        self.me = self
        self.next = None
gc.disable()
for turn in range(steps):
    for i in range(50):
        node = Node()  # its cycle waits for the collector
    pause()
    tare.step()
"""

FEW = """
for turn in range(1000, 1000 + steps):
    for i in range(4):
        kept.append(float(turn))
    pause()
    tare.step()
"""

PINNED = """
def peak():
    return [(i, i + 1) for i in range(1000000)]
for turn in range(steps):
    if turn == 40:
        many = peak()
        kept.extend(many[::500])
        tare.step()
        del many
    pause()
    tare.step()
"""

# The objects are followed while each of these is done to the interpreter.
ROUGH = {
    "tracemalloc_meanwhile": """
import tracemalloc
def collect(turn):
    for i in range(200):
        kept.append(turn * 1000 + i + 70000)
for turn in range(120):
    collect(turn)
    if turn == 40:
        tracemalloc.start(5)
    if turn == 80:
        tracemalloc.stop()
    tare.step()
print(len(kept), sum(kept[:1000]))
""",
    "forks_meanwhile": """
import os
def collect(turn):
    for i in range(200):
        kept.append(turn * 1000 + i + 70000)
for turn in range(120):
    collect(turn)
    if turn % 20 == 19:
        child = os.fork()
        if child == 0:
            for again in range(50):
                collect(again)
                tare.step()
            kept.clear()
            os._exit(7 if turn % 40 == 19 else 0)
        print(os.waitpid(child, 0)[1])
    tare.step()
print(len(kept))
""",
    "workers_meanwhile": """
import multiprocessing
def job(number):
    mine = [number * 1000 + i for i in range(2000)]
    return sum(mine)
if __name__ == "__main__":
    for turn in range(40):
        kept.extend(turn * 1000 + i + 70000 for i in range(500))
        tare.step()
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(pool.map(job, range(20)))
    for turn in range(40):
        kept.extend(turn * 1000 + i + 70000 for i in range(500))
        tare.step()
    print(len(kept))
""",
    "threads_meanwhile": """
import threading
def run(number):
    mine = {}
    for turn in range(300):
        for i in range(100):
            mine[(turn, i)] = str(turn + i)
            if i % 3 == 0:
                mine.pop((turn - 1, i), None)
        if turn % 10 == 0:
            kept.append([number, turn])
            tare.step()
threads = [threading.Thread(target=run, args=(n,)) for n in range(6)]
for thread in threads:
    thread.start()
for turn in range(200):
    kept.extend(turn * 1000 + i + 70000 for i in range(500))
    tare.step()
for thread in threads:
    thread.join()
print(len(kept))
""",
    "an_allocator_put_back_meanwhile": """
import ctypes
class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")]
before = [Allocator(), Allocator()]
for domain in (1, 2):
    ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(before[domain - 1]))
for turn in range(120):
    kept.extend(turn * 1000 + i + 70000 for i in range(500))
    if turn == 60:
        for domain in (1, 2):
            ctypes.pythonapi.PyMem_SetAllocator(domain, ctypes.byref(before[domain - 1]))
    tare.step()
print(len(kept))
""",
    "finalizers_that_step": """
class Noisy:
    def __init__(self):
        self.me = self
    def __del__(self):
        tare.step()
gc.disable()
for turn in range(200):
    kept.extend(turn * 1000 + i + 70000 for i in range(200))
    Noisy()
    pause()
    tare.step()
del kept[:]
print(gc.isenabled())
""",
    "another_interpreter_meanwhile": """
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    try:
        import _interpreters as interpreters
    except ImportError:
        interpreters = None
for turn in range(120):
    kept.extend(turn * 1000 + i + 70000 for i in range(500))
    if turn in (40, 80) and interpreters:
        other = interpreters.create()
        interpreters.run_string(other, "table = {str(i): [i] for i in range(5000)}; del table")
        interpreters.destroy(other)
    tare.step()
print(len(kept))
""",
}
