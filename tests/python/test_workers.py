#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""What a child process keeps is found by the search in that child: loaders' workers, forked and spawned."""
import re
import sys

from python_case import folder, judged, tare
from torch_case import torch_python

LOADER = """
import sys, time, torch
from torch.utils.data import DataLoader, Dataset

class Cached(Dataset):
    def __init__(self):
        self.cache = []
    def __len__(self):
        return int(sys.argv[2])
    def __getitem__(self, number):
        time.sleep(0.002)
        item = torch.full((5000,), float(number))
        self.cache.append(item)
        return item * 2

def main():
    total = 0.0
    for batch in DataLoader(Cached(), batch_size=16, num_workers=2, multiprocessing_context=sys.argv[1]):
        total += float(batch.sum())
    print(int(total))

if __name__ == "__main__":
    main()
"""
PROCESS = """
import multiprocessing, sys, time

class Reader:
    def __init__(self):
        self.rows = []
    def read(self):
        for turn in range(500):
            self.rows.append(bytearray(30000))
            time.sleep(0.004)

if __name__ == "__main__":
    reader = Reader()
    child = multiprocessing.get_context(sys.argv[1]).Process(target=reader.read)
    child.start()
    child.join()
    print(child.exitcode)
"""
FORK = """
import os, time
kept = []
def work():
    for turn in range(500):
        kept.append(bytearray(30000))
        time.sleep(0.004)
child = os.fork()
if child == 0:
    work()
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


def leaking(run):
    """{pid: holder} of the findings that are leaks; nothing may be called lost."""
    held = {}
    for process in run.processes():
        for finding in process["findings"]:
            judged(finding["kind"] != "native", (process["pid"], finding))
            if finding["kind"] == "retained" and not finding["note"] and finding["held_by"]:
                held.setdefault(process["pid"], finding["held_by"])
    return held


def check(python, text, holder, count, *words):
    run = tare.traced([python, folder(program=text) / "program.py", *words], timeout=200)
    assert run.status == 0 and run.err == b"", run.err.decode()
    held = leaking(run)
    judged(len(held) == count, held)
    for path in held.values():
        judged(re.search(holder, path), path)


def loader(context):
    return lambda: check(torch_python(), LOADER, r"\.cache\[…\]", 2, context, "2400")


def sharing():
    """torch.multiprocessing remembers the last 128 storages that a worker has sent, then forgets them. Where
    its objects are followed for less time than that takes there are notes, which say for how long."""
    run = tare.traced([torch_python(), folder(program=LOADER) / "program.py", "fork", "9600"], timeout=200)
    assert run.status == 0 and run.err == b"", run.err.decode()
    found = [(finding["note"], finding["summary"], finding["evidence"][0]) for process in run.processes()
             for finding in process["findings"]
             if finding["allocated_at"] and finding["allocated_at"][0]["file"].endswith("/reductions.py")]
    judged(all(note for note, _, _ in found), found)
    judged(all(("observed" in summary) == ("last observed" in evidence)
               for _, summary, evidence in found), found)


def process(context):
    return lambda: check(sys.executable, PROCESS, r"\.rows\[…\]", 1, context)


tare.Cases().each({
    "loader_fork": loader("fork"),
    "loader_spawn": loader("spawn"),
    "loader_sharing": sharing,
    "process_fork": process("fork"),
    "process_spawn": process("spawn"),
    "os_fork": lambda: check(sys.executable, FORK, r"__main__\.kept\[…\]", 1),
})
