#!/usr/bin/env python3
# suite: test
# limit: 900
"""The clocks of programs that do not train: forward passes, models; what must not disturb them."""
from python_case import clocks, folder, steps, tare
from torch_case import HEAD, torch_python, train

PREDICT = HEAD + """
model = network(16, 16, 16, 1)
with torch.no_grad():
    for batch in range(120):
        model(torch.randn(8, 16))
"""

# One model after the other; the last is called by a function of another module's.
MODELS = HEAD + """
class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = network(8, 8, 8)
    def forward(self, value):
        return self.inner(self.inner(value))
for trial in range(15):
    model = Twice().eval()
    with torch.inference_mode():
        for batch in range(6):
            model(torch.randn(4, 8))
"""

TRIALS = HEAD + """
for trial in range(40):
    model = network(8, 8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()
"""

REBUILT = HEAD + """
model = network(8, 8, 1)
for epoch in range(40):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()
"""

IN_BACKWARD = HEAD + """
model = network(8, 8, 8, 8, 1)
optimizers = {p: torch.optim.SGD([p], lr=0.01) for p in model.parameters()}
def update(parameter):
    optimizers[parameter].step()
    optimizers[parameter].zero_grad()
for parameter in model.parameters():
    parameter.register_post_accumulate_grad_hook(update)
for step in range(70):
    model(torch.randn(4, 8)).square().mean().backward()
"""

# What a program may look at, in words that do not depend on addresses.
LOOKED_AT = HEAD + """
import copy, inspect, io, pickle, traceback
model = network(4, 4, 1)
print(nn.Module.__call__ is nn.Linear.__call__, inspect.isfunction(nn.Module.__call__))
print(inspect.signature(nn.Module.__call__), nn.Module.__call__.__qualname__)
print(type(model.__call__), callable(model))
try:
    model(torch.randn(3, 5))
except RuntimeError:
    traceback.print_exc()
class Own(nn.Module):
    def __call__(self, value):
        return super().__call__(value) + 1
    def forward(self, value):
        return value
own = copy.deepcopy(Own())
print(own(torch.zeros(2)).tolist(), pickle.loads(pickle.dumps(model))(torch.zeros(1, 4)).shape)
model(torch.zeros(1, 4)).sum().backward()
print(type(nn.Module.__dict__["__call__"]))
"""

COMPILED = HEAD + """
model = network(16, 16, 1)
model(torch.zeros(1, 16))
forward = torch.compile(model, backend="eager", fullgraph=True)
with torch.no_grad():
    for step in range(50):
        value = forward(torch.full((2, 16), float(step)))
print("%.5f" % value.sum(), type(nn.Module.__dict__["__call__"]))
"""


def predicting():
    run = train(PREDICT)
    assert steps(run) == ("predict", 120), steps(run)
    assert clocks(run)["model"] == 1, clocks(run)


def models_one_after_the_other():
    run = train(MODELS)
    assert clocks(run)["model"] == 15 and clocks(run)["predict"] == 90, clocks(run)


def trials():
    """Of a loop that builds models, the models are the steps."""
    run = train(TRIALS)
    assert steps(run) == ("model", 40), (steps(run), clocks(run))
    assert "predict" not in clocks(run), clocks(run)


def optimizer_rebuilt():
    """The same parameters are the same model."""
    run = train(REBUILT)
    assert steps(run) == ("optimizer", 120), (steps(run), clocks(run))
    assert clocks(run)["model"] == 1, clocks(run)


def optimizer_in_backward():
    run = train(IN_BACKWARD)
    assert steps(run)[1] == 70, (steps(run), clocks(run))


def looked_at():
    """A program that looks closely sees what it sees without us."""
    tare.same([torch_python(), folder(train=LOOKED_AT) / "train.py"], timeout=300)


def compiled():
    """torch.compile finds the function itself."""
    tare.same([torch_python(), folder(train=COMPILED) / "train.py"], timeout=300)


tare.Cases().each({function.__name__: function for function in (
    predicting, models_one_after_the_other, trials, optimizer_rebuilt, optimizer_in_backward,
    looked_at, compiled)})
