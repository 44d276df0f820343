#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""A clean verdict needs a closed account: memory that rises to the end is told, whoever has taken it."""
import subprocess
from pathlib import Path

from python_case import PYTHON, folder, judged, root, tare

SHARED = """
import time
from multiprocessing import resource_tracker, shared_memory

for frame in range(300):
    part = shared_memory.SharedMemory(create=True, size=200_000)
    part.buf[:] = bytes([frame % 256]) * len(part.buf)
    resource_tracker.unregister(part._name, "shared_memory")
    part.close()
    END
    time.sleep(0.01)
"""


def said(process):
    """What a reader would want to see when the verdict is another than the one expected."""
    return process["verdict"], [(one["kind"], one["note"], one["summary"]) for one in process["findings"]]


def traced(command, **keywords):
    run = tare.traced(command, timeout=120, **keywords)
    assert run.status == 0, run.err.decode()
    return run


# ---- shared memory under a name ----

def tidy(out):
    for line in out.decode().splitlines():
        name, number = line.split()
        if name == "segment":
            subprocess.run(["ipcrm", "-m", number], check=False)
        else:
            Path("/dev/shm", name.lstrip("/")).unlink(missing_ok=True)


def native_shared(how, end):
    run = traced([tare.program("shared"), how, end, 200])
    tidy(run.out)
    process = root(run)
    if end == "leave":
        judged(process["verdict"] == "retained", said(process))
        judged(process["findings"][0]["allocated_at"][0]["file"].endswith("shared.c"), said(process))
        judged("name" in process["findings"][0]["held_by"], said(process))
    else:
        judged(process["verdict"] in ("clean", "plateau"), said(process))


def python_shared(end, verdicts):
    text = SHARED.replace("END", end)
    before = set(Path("/dev/shm").glob("psm_*"))
    run = traced([PYTHON, folder(frames=text) / "frames.py"])
    if "unlink" not in end:
        for path in set(Path("/dev/shm").glob("psm_*")) - before:
            path.unlink(missing_ok=True)
    process = root(run)
    judged(process["verdict"] in verdicts, said(process))


# ---- memory that no count of blocks shows ----

BUFFER = """
class Parser:
    def __init__(self):
        self.text = bytearray()

    def parse(self, document):
        self.text += document
        return len(document.split())

parser = Parser()
document = b"lorem ipsum " * 200
for number in range(15000):
    parser.parse(document)
"""
OWN = """
import ctypes
import time

SYS_MMAP, READ_WRITE, PRIVATE = 9, 3, 0x22
system = ctypes.CDLL(None).syscall
system.restype = ctypes.c_void_p

def take(size):
    region = system(ctypes.c_long(SYS_MMAP), None, ctypes.c_size_t(size), READ_WRITE, PRIVATE, -1,
                    ctypes.c_long(0))
    ctypes.memset(region, 1, size)

for number in range(300):
    take(1 << 20)
    words = ("a b c " * 20000).split()
    time.sleep(0.002)
"""
OBJECTS = """
_index = {}

def index(document):
    words = document.split()
    for place, word in enumerate(words):
        _index.setdefault(word, []).append((document[:8], place))
    return len(words)

for number in range(700):
    index(" ".join("word%d" % ((number * 7 + k) % 5000) for k in range(200)))
"""


def native_hoard(how, verdicts):
    process = root(traced([tare.program("hoards"), how], cwd=folder()))
    judged(process["verdict"] in verdicts, said(process))
    return process


def python_hoard(text, verdicts):
    process = root(traced([PYTHON, folder(hoard=text) / "hoard.py"]))
    judged(process["verdict"] in verdicts, said(process))


# ---- silence ----

def fills_and_waits():
    process = root(traced([tare.program("hoards"), "fill", 15]))
    judged(process["verdict"] in ("plateau", "clean"), said(process))


def killed_while_it_waits():
    run = tare.traced(["timeout", "-s", "KILL", "20", tare.program("hoards"), "fill", 30], timeout=120)
    process = max(run.processes(), key=lambda one: one["memory"]["live_bytes"])
    judged(process["verdict"] in ("plateau", "clean"), said(process))


# ---- a little of each request ----

SERVER = """
import http.server
import subprocess
import sys
import threading

CLIENT = '''
import http.client, sys, time
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
begin = time.monotonic()
for number in range(4000):
    connection.request("GET", "/session/%d" % number)
    connection.getresponse().read()
    time.sleep(max(0, begin + number / 500 - time.monotonic()))
'''
sessions = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        sessions[KEY] = {"user"}
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
client = subprocess.Popen([sys.executable, "-c", CLIENT, str(server.server_address[1])], env={})
threading.Thread(target=lambda: (client.wait(), server.shutdown()), daemon=True).start()
server.serve_forever(poll_interval=0.05)
"""


def python_server(key, verdict):
    process = root(traced([PYTHON, folder(serve=SERVER.replace("KEY", key)) / "serve.py"]))
    assert process["steps"]["clock"] == "request", process["steps"]
    judged(process["verdict"] == verdict, said(process))


LEAK = ("retained", "undecided")
tare.Cases().each({
    "posix_names_left_are_found": lambda: native_shared("posix", "leave"),
    "posix_names_removed_are_no_leak": lambda: native_shared("posix", "remove"),
    "posix_names_removed_by_another_are_no_leak": lambda: native_shared("posix", "other"),
    "segments_left_are_found": lambda: native_shared("sysv", "leave"),
    "segments_removed_by_another_are_no_leak": lambda: native_shared("sysv", "other"),
    "python_shared_memory_left_is_found": lambda: python_shared("pass", ("retained",)),
    "python_shared_memory_removed_is_no_leak":
        lambda: python_shared("part._name and __import__('_posixshmem').shm_unlink(part._name)",
                              ("clean", "plateau")),
    "a_store_that_is_filled_and_then_waits_has_stopped": fills_and_waits,
    "so_has_one_that_is_killed_while_it_waits": killed_while_it_waits,
    "a_session_of_each_request_is_found": lambda: python_server("self.path", "retained"),
    "one_session_is_none": lambda: python_server("None", "clean"),
    "few_ever_larger_blocks_are_not_clean": lambda: native_hoard("chunks", LEAK),
    "an_allocator_of_its_own_is_not_clean": lambda: native_hoard("own", ("undecided",)),
    "file_pages_that_are_touched_are_clean": lambda: native_hoard("file", ("clean",)),
    "a_buffer_that_python_grows_is_found": lambda: python_hoard(BUFFER, LEAK),
    "regions_that_python_takes_unseen_are_not_clean": lambda: python_hoard(OWN, ("undecided",)),
    "small_objects_of_a_package_are_found": lambda: python_hoard(OBJECTS, ("retained", "unbounded-cache")),
})
