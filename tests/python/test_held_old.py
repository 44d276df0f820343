#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""Where a bounded container holds the latest blocks and another holds all, the latter is named."""
import sys

from python_case import folder, judged, root, tare

WORK = "    hashlib.sha256(bytes(400000)).digest()\n"
HEAD = "import collections, functools, hashlib\n"
CASES = {  # name: program; the holder
    "lru_cache_and_local": ("""
@functools.lru_cache(maxsize=64)
def fetch(number):
    return bytearray(20000)
def main():
    results = []
    for number in range(600):
        results.append(fetch(number))
        WORK
main()
""", "local 'results' of main()"),
    "deque_and_deep_list": ("""
recent = collections.deque(maxlen=100)
class Store:
    def __init__(self):
        self.parts = {"all": []}
class App:
    def __init__(self):
        self.store = Store()
def turn(app, number):
    batch = bytes(18000 + number % 5)
    recent.append(batch)
    app.store.parts["all"].append(batch)
    WORK
def main():
    app = App()
    for number in range(600):
        turn(app, number)
main()
""", ".store.parts['all'][…]"),
    "trimmed_dict_and_local": ("""
cache = {}
def fetch(number):
    value = bytearray(20000)
    cache[number] = value
    if len(cache) > 64:
        del cache[next(iter(cache))]
    return value
def main():
    results = []
    for number in range(600):
        results.append(fetch(number))
        WORK
main()
""", "local 'results' of main()"),
    "ordered_dict_and_list": ("""
class Latest:
    def __init__(self, size):
        self.size, self.items = size, collections.OrderedDict()
    def put(self, key, value):
        self.items[key] = value
        while len(self.items) > self.size:
            self.items.popitem(last=False)
class Session:
    def __init__(self, number):
        self.body = bytes(15000 + number % 3)
latest, sessions = Latest(100), []
for number in range(600):
    session = Session(number)
    latest.put(number, session)
    sessions.append(session)
    WORK
""", "__main__.sessions[…]"),
    "window_in_closure_and_class": ("""
def make_window(count):
    window = collections.deque(maxlen=count)
    def push(row):
        window.append(row)
    return push
class Metrics:
    rows = []
push = make_window(50)
for number in range(600):
    row = {"id": number, "payload": "%015000d" % number}
    push(row)
    Metrics.rows.append(row)
    WORK
""", "Metrics.rows[…]"),
    "pages_and_generator": ("""
_pages = {}
def page(number):
    _pages[number] = "x%019999d" % number
    if len(_pages) > 40:
        _pages.pop(min(_pages))
    return _pages[number]
def crawl(count):
    visited = set()
    for number in range(count):
        text = page(number)
        visited.add(text)
        WORK
        yield len(text)
sum(crawl(600))
""", "local 'visited' of crawl()"),
}


def program(text):
    lines = [line.replace("WORK", WORK.strip()) for line in text.splitlines(keepends=True)]
    return folder(program=HEAD + "".join(lines)) / "program.py"


def check(name):
    text, holder = CASES[name]
    run = tare.traced([sys.executable, program(text)])
    assert run.status == 0 and run.err == b"", run.err.decode()
    leaks = [f for f in root(run)["findings"] if f["kind"] == "retained" and not f["note"]]
    judged(leaks, root(run)["findings"])
    judged(holder in (leaks[0]["held_by"] or ""), leaks[0]["held_by"])


tare.Cases().each({name: lambda name=name: check(name) for name in CASES})
