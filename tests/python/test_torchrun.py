#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 400
"""torchrun: every rank is judged for itself, and the one that leaks is named with its line."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from tare import judged  # noqa: E402
from environments import ready  # noqa: E402

TRAIN = """import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(nn.Linear(64, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
history = []
for step in range(150):
    optimizer.zero_grad()
    loss = model(torch.randn(32, 64)).pow(2).mean()
    loss.backward()
    optimizer.step()
    if dist.get_rank() == 1:
        history.append(loss + 0)
open(f"rank-{dist.get_rank()}", "w").write(str(__import__("os").getpid()))
dist.destroy_process_group()
"""


def ranks():
    python, home = ready("pytorch"), tare.fresh("torchrun")
    home.mkdir()
    (home / "train.py").write_text(TRAIN)
    run = tare.traced([python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                       "train.py"], cwd=home, timeout=300, env=tare.environment(OMP_NUM_THREADS=1))
    assert run.status == 0, run.err.decode()[-2000:]
    by_pid = {process["pid"]: process for process in run.processes()}
    healthy, leaky = (by_pid[int((home / f"rank-{rank}").read_text())] for rank in (0, 1))
    judged(healthy["verdict"] in ("clean", "plateau", "framework-cache"),
           (healthy["verdict"], healthy["answer"]))
    judged(leaky["verdict"] == "retained", (leaky["verdict"], leaky["answer"]))
    finding = leaky["findings"][0]
    judged(os.path.basename((finding["stored_at"] or {}).get("file", "")) == "train.py", finding["stored_at"])
    judged((finding["stored_at"] or {}).get("line") == 15, finding["stored_at"])


tare.Cases().each({"ranks": ranks})
