#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1500
"""Training loops of real PyTorch: the clock that is chosen, its ticks, and what is called a leak.

The first run makes build/venv-pytorch, which takes a download and some minutes.
"""
import re

from owners import held
from python_case import clocks, folder, judged, root, steps, tare
from torch_case import HEAD, torch_python, train

MLP = HEAD + """
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.randn(1600, 64), torch.randn(1600, 1))
model = network(64, 128, 1)
optimizer = torch.optim.Adam(model.parameters())
losses = []
for epoch in range(8):
    for inputs, targets in DataLoader(data, batch_size=32, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(KEEP)
print(len(losses))
"""

GAN = HEAD + """
maker, judge = network(16, 64, 32), network(32, 64, 1)
making = torch.optim.Adam(maker.parameters())
judging = torch.optim.SGD(judge.parameters(), lr=0.01)
compare = nn.functional.binary_cross_entropy_with_logits
for turn in range(300):
    real, fake = torch.randn(32, 32), maker(torch.randn(32, 16))
    judging.zero_grad()
    loss = compare(judge(real), torch.ones(32, 1)) + compare(judge(fake.detach()), torch.zeros(32, 1))
    loss.backward()
    judging.step()
    making.zero_grad()
    compare(judge(fake), torch.ones(32, 1)).backward()
    making.step()
"""

# Four ways that must not confuse the clock.
ACCUMULATION = HEAD + """
model = network(16, 16, 1)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for step in range(80):
    for part in range(4):
        model(torch.randn(8, 16)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""

LBFGS = HEAD + """
model = network(16, 16, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
def closure():
    optimizer.zero_grad()
    loss = (model(torch.randn(8, 16)) - 1).square().mean()
    loss.backward()
    return loss
for step in range(60):
    optimizer.step(closure)
"""

SCALER = HEAD + """
model = network(16, 16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
scaler = torch.amp.GradScaler("cpu")
for step in range(100):
    loss = model(torch.randn(8, 16)).square().mean()
    scaler.scale(loss * float("inf") if step % 4 == 3 else loss).backward()
    scaler.step(optimizer)
    scaler.update()
    schedule.step()
    optimizer.zero_grad()
"""

BY_HAND = HEAD + """
weights = torch.randn(16, 1, requires_grad=True)
for step in range(90):
    gradient, = torch.autograd.grad((torch.randn(8, 16) @ weights).square().mean(), weights)
    with torch.no_grad():
        weights -= 0.01 * gradient
"""

WORKERS = HEAD + """
from torch.utils.data import DataLoader
class Squares(torch.utils.data.Dataset):
    def __len__(self):
        return 120
    def __getitem__(self, i):
        return torch.full((64,), float(i * i))
if __name__ == "__main__":
    for workers in DataLoader(Squares(), batch_size=2, num_workers=2, multiprocessing_context="METHOD"):
        pass
"""

COMPILED = HEAD + """
model = network(16, 16, 1)
optimizer = torch.optim.Adam(model.parameters(), foreach=True, capturable=False)
forward = torch.compile(model, backend="eager", fullgraph=True)
update = torch.compile(optimizer.step, backend="eager")
for step in range(40):
    optimizer.zero_grad()
    loss = forward(torch.randn(8, 16)).square().mean()
    loss.backward()
    update()
print("%.6f" % loss.item())
"""

ERRORS = HEAD + """
import traceback, warnings
from torch.utils.data import DataLoader
def attempt(call):
    try:
        call()
    except Exception:
        traceback.print_exc()
class Bad(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        raise LookupError(i)
model = network(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
attempt(lambda: torch.ones(2).backward())
attempt(lambda: torch.autograd.grad(torch.ones(1), torch.ones(1)))
attempt(lambda: next(iter(DataLoader(Bad()))))
attempt(lambda: optimizer.step(lambda: 1 / 0))
print(torch.autograd.Variable._execution_engine.is_checkpoint_valid(), torch.optim.Optimizer.__mro__)
"""


def clean_loop():
    run = train(MLP, KEEP="loss.item()")
    assert steps(run) == ("optimizer", 400), steps(run)
    assert clocks(run) == {"optimizer": 400, "backward": 400, "loader": 400, "epoch": 8,
                           "model": 1}, clocks(run)
    judged(root(run)["verdict"] in ("clean", "plateau", "fragmentation"), root(run)["answer"])


def losses_kept():
    run = train(MLP, KEEP="loss")
    assert steps(run) == ("optimizer", 400), steps(run)
    judged(root(run)["verdict"] == "retained", root(run)["answer"])
    path = held(run, "__main__.losses[#].grad_fn[*]")
    judged(path[3][2].startswith("MseLossBackward"), path[3][2])
    judged(path[1][3].length > 20 and path[0][3].file, path[1][3].length)


def gan():
    run = train(GAN)
    assert steps(run) == ("optimizer", 300), steps(run)
    assert clocks(run) == {"optimizer": 300, "backward": 600, "model": 1}, clocks(run)
    judged(root(run)["verdict"] in ("clean", "plateau", "fragmentation"), root(run)["answer"])


def accumulation():
    assert steps(train(ACCUMULATION)) == ("optimizer", 80)


def lbfgs():
    assert steps(train(LBFGS)) == ("optimizer", 60)


def scaler():
    """A step that the scaler skips is no step."""
    assert steps(train(SCALER)) == ("optimizer", 75)


def by_hand():
    assert steps(train(BY_HAND)) == ("backward", 90)


def loader_workers():
    for method in ("fork", "spawn"):
        run = train(WORKERS, METHOD=method)
        assert steps(run) == ("loader", 60), steps(run)
        ticking = [p for p in run.processes() if p["steps"]["clock"] != "time"]
        assert len(ticking) == 1, [p["steps"] for p in ticking]


def compiled():
    """torch.compile reads our hook and drops it: same numbers, and the backward passes are left."""
    run = tare.same([torch_python(), folder(train=COMPILED) / "train.py"], timeout=300,
                    clean=lambda text: re.sub(rb"^W\d+ [\d:.]+ \d+ ", b"", text, flags=re.M))
    assert steps(run)[1] == 40, steps(run)


def errors():
    """No frame of ours is in a traceback."""
    tare.same([torch_python(), folder(train=ERRORS) / "train.py"], timeout=300)


tare.Cases().each({function.__name__: function for function in (
    clean_loop, losses_kept, gan, accumulation, lbfgs, scaler, by_hand, loader_workers, compiled,
    errors)})
