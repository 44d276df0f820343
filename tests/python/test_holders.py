#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""The Python object that holds leaked blocks is named, on every interpreter that is here."""
from owners import held, paths, spelled
from python_case import folder, interpreters, judged, tare

BEGIN = """
import collections, functools, sys, threading, time
import tare
def make():
    return bytearray(30000)
"""
LOOP = """
for turn in range(200):
    tare.step()
"""
# While the function runs the doctor has the time to ask.
LASTING = """(other=1):
    kept, until = [], time.monotonic() + 2.5
    while time.monotonic() < until:
        tare.step()
        kept.append(make())
        time.sleep(0.005)
"""

CASES = {  # name: set-up, what each step does, the path, and the type at its end
    "list": ("kept = []", "kept.append(make())", "__main__.kept[#]", "bytearray"),
    "value": ("kept = {'a': []}", "kept['a'].append(make())", "__main__.kept['a'][#]", "bytearray"),
    "numbers": ("kept = {7: {}}", "kept[7][turn] = make()", "__main__.kept[7][*]", "bytearray"),
    "attribute": ("class Store:\n    def __init__(self):\n        self.log = []\nstore = Store()",
                  "store.log.append(make())", "__main__.store.log[#]", "bytearray"),
    "nested": ("class A:\n    pass\na = A()\na.b = A()\na.b.c = {'x': ([],)}",
               "a.b.c['x'][0].append(make())", "__main__.a.b.c['x'][#][#]", "bytearray"),
    "slot": ("class A:\n    __slots__ = ('kept',)\na = A()\na.kept = []",
             "a.kept.append(make())", "__main__.a.kept[#]", "bytearray"),
    "odd_dict": ("class A:\n    pass\na = A()\na.__dict__['kept'] = []\nvars(a)",
                 "a.kept.append(make())", "__main__.a.kept[#]", "bytearray"),
    "closure": ("def outer():\n    kept, other = [], 1\n    def add(one):\n"
                "        kept.append((one, other))\n    return add\nadd = outer()",
                "add(make())", "__main__.add closes over kept[#][#]", "bytearray"),
    "default": ("def add(one, other=1, kept=[]):\n    kept.append(one)", "add(make())",
                "__main__.add by default kept[#]", "bytearray"),
    "keyword_default": ("def add(one, *, kept=[]):\n    kept.append(one)", "add(make())",
                        "__main__.add by default kept[#]", "bytearray"),
    "generator": ("def gather():\n    other, kept = 1, []\n    while True:\n"
                  "        kept.append((yield))\ngathering = gather()\nnext(gathering)",
                  "gathering.send(make())", "__main__.gathering kept[#]", "bytearray"),
    "thread_local": ("local = threading.local()\nlocal.kept = []", "local.kept.append(make())",
                     "__main__.local.kept[#]", "bytearray"),
    "class_attribute": ("class Registry:\n    known = []", "Registry.known.append(make())",
                        "__main__.Registry.known[#]", "bytearray"),
    "traceback": ("errors = []\ndef fail():\n    buffer = make()\n    raise ValueError(len(buffer))",
                  "try:\n        fail()\n    except ValueError as error:\n"
                  "        errors.append(error)", "__main__.errors[#].__traceback__ buffer",
                  "bytearray"),
    "method": ("class A:\n    def __init__(self):\n        self.kept = []\n    def add(self, one):\n"
               "        self.kept.append(one)\nadd = A().add",
               "add(make())", "__main__.add.__self__.kept[#]", "bytearray"),
    "text": ("kept = []", "kept.append('%030000d' % turn)", "__main__.kept[#]", "str"),
    "wide_text": ("kept = []", "kept.append('\\u20ac' * 20000)", "__main__.kept[#]", "str"),
    "set": ("kept = set()", "kept.add('%030000d' % turn)", "__main__.kept{}", "str"),
    "storage": ("kept = []", "kept.append([None] * 4000)", "__main__.kept[#]", "list"),
    "module": ("import holder", "holder.kept.append(make())", "holder.kept[#]", "bytearray"),
    "weak": ("import weakref\nclass A:\n    pass\nnames = weakref.WeakValueDictionary()\nkept = []",
             "one = A()\n    one.buffer = make()\n    names[turn] = one\n    kept.append(one)",
             "__main__.kept[#].buffer", "bytearray"),
}


def leak(python, text, **more):
    run = tare.traced([python, folder(program=BEGIN + text, **more) / "program.py"])
    assert run.status == 0 and run.err == b"", run.err.decode()
    return run


def check(python, name):
    setup, body, want, kind = CASES[name]
    run = leak(python, setup + LOOP + "    " + body + "\n", holder="kept = []\n")
    if want:
        steps = held(run, want)
        judged(steps[-1][2] == kind, steps[-1][2])
        judged(steps[0][3].file, "a module has a file")


def cache(python, size):
    steps = held(leak(python, f"@functools.lru_cache(maxsize={size})\ndef load(name):\n"
                      "    return make()" + LOOP + "    load(turn)\n    load(turn)\n"),
                 "__main__.load[*]" if size is None else "__main__.load part 'a cached result'")
    load = steps[1]
    judged(load[2] == "functools._lru_cache_wrapper", load[2])
    judged(load[3].bound == (size or 0), load[3].bound)
    judged(load[3].length > 10 and load[3].hits > 10 and load[3].misses > 10, load[3].length)


def deque(python):
    steps = held(leak(python, "kept = collections.deque(maxlen=100000)" + LOOP +
                      "    kept.append(make())\n"), "__main__.kept[#]")
    judged(steps[1][3].bound == 100000 and steps[1][3].length > 10, steps[1][3].bound)
    judged(steps[2][3].index < steps[1][3].length, "the index")


def local(python):
    steps = held(leak(python, "def main" + LASTING + "main()\n"), "main() kept[#]")
    judged(steps[0][3].line in range(8, 13) and steps[0][3].file, steps[0][3].line)
    judged(steps[1][2] == "list" and steps[1][3].length > 10, (steps[1][2], steps[1][3].length))


def other_thread(python):
    held(leak(python, "def work" + LASTING + "thread = threading.Thread(target=work)\n"
              "thread.start()\nthread.join()\n"), "work() kept[#]")


def native(python):
    """What only native memory refers to has no module: a table in C, held by a variable in C."""
    text = ("import ctypes\nroom = ctypes.CDLL(None).malloc\nroom.restype = ctypes.c_void_p\n"
            "place = room(ctypes.c_size_t(1600))\n"
            "ctypes.c_void_p.in_dll(ctypes.pythonapi, 'PyOS_InputHook').value = place\n"
            "class Box:\n    pass" + LOOP +
            "    box = Box()\n    box.buffer = make()\n"
            "    ctypes.pythonapi.Py_IncRef(ctypes.py_object(box))\n"
            "    ctypes.c_void_p.from_address(place + 8 * turn).value = id(box)\n    box = None\n")
    steps = held(leak(python, text), "<runtime> native part ''.buffer")
    judged(steps[2][2] == "__main__.Box", steps[2][2])


# Blocks made by hand. Each Box in `kept` has the first of them, which is of a C++ class; `stale` has one
# whose words lead to them as well, as a page of an allocator's does that was used before.
STALE = """
import ctypes
room = ctypes.CDLL(None).malloc
room.restype = ctypes.c_void_p
new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p,) * 3
library = ctypes.CDLL('libstdc++.so.6')
table = ctypes.addressof(ctypes.c_char.in_dll(library, '_ZTVSt9exception')) + 16
class Box(ctypes.Structure):
    _fields_ = [('first', ctypes.c_void_p)]
def native(size, *words):
    at = room(ctypes.c_size_t(size))
    ctypes.memset(at, 0, size)
    (ctypes.c_void_p * len(words)).from_address(at)[:] = words
    return at
page = native(32768)
stale, kept = new(page, None, None), []
for turn in range(200):
    tare.step()
    block = native(30000)
    first = native(56, table, native(24, native(24, block)))
    kept.append(Box(first))
    ctypes.c_void_p.from_address(page + 8 * (turn + 8)).value = {word}
"""


def stale_word(python, word):
    """A short way through a page full of words says less than a long one through blocks of a few words."""
    found = [(holder.targets, spelled(steps)) for holder, steps in
             paths(leak(python, STALE.replace("{word}", word))) if holder.targets > 2]
    judged("__main__.kept[#] native" in [path for _, path in found], found)
    judged(not any("stale" in path for _, path in found), found)


def table(version, python):
    cases = {f"{name}_{version}": lambda name=name: check(python, name) for name in CASES
             if CASES[name][2]}
    more = {"cache": lambda: cache(python, None), "bounded_cache": lambda: cache(python, 100000),
            "deque": lambda: deque(python), "local": lambda: local(python),
            "other_thread": lambda: other_thread(python), "native": lambda: native(python),
            "stale_block": lambda: stale_word(python, "block"),
            "stale_first": lambda: stale_word(python, "first")}
    cases.update({f"{name}_{version}": function for name, function in more.items()})
    return cases


ALL = {}
for release, interpreter in interpreters().items():
    if (3, 9) <= tuple(int(part) for part in release.split(".")[:2]):
        ALL.update(table(release, interpreter))
tare.Cases().each(ALL)
