#!/usr/bin/env python3
# suite: test
# limit: 900
"""Programs that others start: torchrun, pytest, a notebook, workers of every kind."""
import json

from python_case import environments, folder, greeted, tare, write
from torch_case import HEAD, torch_python

TRAIN = HEAD + """
import os, sys
import torch.distributed as dist
dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(network(16, 16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
keep = []
for step in range(60):
    optimizer.zero_grad()
    model(torch.randn(8, 16)).square().mean().backward()
    optimizer.step()
print("rank", dist.get_rank(), "of", dist.get_world_size())
dist.destroy_process_group()
"""

TESTS = """
import pytest
import tare
@pytest.mark.parametrize("number", range(3))
def test_steps(number):
    kept = [bytearray(100000) for _ in range(20)]
    for _ in range(20):
        tare.step()
def test_wrong():
    value = {"a": 1}
    assert value == {"a": 2}
"""

NOTEBOOK = {
    "cells": [{"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [],
               "source": text} for text in
              ("import tare\nkept = []", "for i in range(80):\n    kept.append(bytearray(60000))\n"
               "    tare.step()", "print(len(kept), tare.active())")],
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
    "nbformat": 4, "nbformat_minor": 5,
}

PERSISTENT = HEAD + """
from torch.utils.data import DataLoader, Dataset
class Squares(Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, i):
        return torch.full((4096,), float(i * i))
if __name__ == "__main__":
    loader = DataLoader(Squares(), batch_size=4, num_workers=2, persistent_workers=True,
                        multiprocessing_context="METHOD")
    for epoch in range(3):
        total = sum(float(batch.sum()) for batch in loader)
    print(total)
"""

SUBPROCESS = """
import subprocess, sys
code = "kept = [bytearray(200000) for _ in range(20)]\\nimport tare\\nfor i in range(50): tare.step()"
for options in ([], ["-I"], ["-E", "-S"]):
    subprocess.run([sys.executable, *options, "-c", code], check=True)
"""


def ticking(run, clock, count):
    """Processes that counted so many steps of that clock."""
    return [p for p in run.processes()
            if (p["steps"]["clock"], p["steps"]["count"]) == (clock, count) and greeted(p)]


def torchrun():
    tool = torch_python().parent / "torchrun"
    here = folder(train=TRAIN)
    for workers in (1, 2):
        run = tare.traced([tool, "--standalone", f"--nproc-per-node={workers}", here / "train.py"],
                          timeout=300, env=tare.environment(OMP_NUM_THREADS=1))
        assert run.status == 0, run.err.decode()[-2000:]
        assert run.out.count(b"rank") == workers, run.out
        assert len(ticking(run, "optimizer", 60)) == workers, \
            [(p["command"], p["steps"]) for p in run.processes()]


def pytest():
    python = environments.ready("console")
    here = folder(test_work=TESTS)
    run = tare.traced([python.parent / "pytest", "-q", "-p", "no:cacheprovider", here])
    assert run.status == 1 and b"1 failed, 3 passed" in run.out, run.out.decode()
    assert len(ticking(run, "mark", 60)) == 1, [p["steps"] for p in run.processes()]


def notebook():
    python = environments.ready("console")
    here = write(tare.fresh("notebook"), {"work.ipynb": json.dumps(NOTEBOOK)})
    run = tare.traced([python.parent / "jupyter", "nbconvert", "--to", "notebook", "--execute",
                       "--output", "done.ipynb", here / "work.ipynb"], timeout=200,
                      env=tare.environment(HOME=here, JUPYTER_PLATFORM_DIRS="1"))
    assert run.status == 0, run.err.decode()[-2000:]
    assert "80 True" in (here / "done.ipynb").read_text(), (here / "done.ipynb").read_text()
    assert len(ticking(run, "mark", 80)) == 1, [(p["command"], p["steps"]) for p in run.processes()]


def persistent_workers():
    for method in ("fork", "spawn", "forkserver"):
        text = PERSISTENT.replace("METHOD", method)
        run = tare.traced([torch_python(), folder(train=text) / "train.py"], timeout=300)
        assert (run.status, run.err) == (0, b""), (method, run.err.decode())
        assert len(ticking(run, "loader", 48)) == 1, (method, [p["steps"] for p in run.processes()])


def subprocesses():
    python = environments.ready("console")
    run = tare.traced([python, folder(work=SUBPROCESS) / "work.py"])
    assert (run.status, run.err) == (0, b""), run.err.decode()
    assert len(ticking(run, "mark", 50)) == 3, [(p["command"], p["steps"]) for p in run.processes()]


tare.Cases().each({function.__name__: function for function in (
    torchrun, pytest, notebook, persistent_workers, subprocesses)})
