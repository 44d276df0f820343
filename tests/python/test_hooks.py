#!/usr/bin/env python3
# suite: check
# limit: 120
"""Import hooks, on small stand-ins for the frameworks: what is counted, and that no trace is left."""
from python_case import PYTHON, clocks, steps, tare, write

# The parts of torch that the adapter looks at, as they are there.
TORCH = {
    "torch/__init__.py": "from . import autograd, optim, utils\n",
    "torch/autograd/__init__.py": """
from .variable import Variable
def backward():
    Variable._execution_engine.run_backward()
""",
    "torch/autograd/variable.py": """
class Engine:
    def run_backward(self, fail=False):
        if fail:
            raise RuntimeError("backward")
    def queue_callback(self):
        return "queued"
class Variable:
    _execution_engine = Engine()
""",
    "torch/optim/__init__.py": "from .optimizer import Optimizer\n",
    "torch/optim/optimizer.py": """
hooks = []
def register_optimizer_step_post_hook(hook):
    hooks.append(hook)
class Optimizer:
    def step(self):
        for hook in hooks:
            assert hook(self, (), {}) is None
""",
    "torch/utils/__init__.py": "from . import data\n",
    "torch/utils/data/__init__.py": "from .dataloader import DataLoader\n",
    "torch/utils/data/dataloader.py": """
class _BaseDataLoaderIter:
    def __init__(self, items):
        self._items, self._num_yielded = iter(items), 0
    def __iter__(self):
        return self
    def __next__(self):
        data = next(self._items)
        self._num_yielded += 1
        return data
class DataLoader(list):
    def __iter__(self):
        return _BaseDataLoaderIter(list.__iter__(self))
""",
}

OLD = """
class Optimizer:
    def __init__(self):
        self._hook_for_profile()
    def _hook_for_profile(self):
        if not getattr(type(self).step, "hooked", None):
            def wrapper(self, *args):
                return self.work(*args)
            wrapper.hooked = True
            type(self).step = wrapper
    def step(self):
        pass
class SGD(Optimizer):
    def step(self):
        pass
    def work(self, value):
        return value + 1
"""

KERAS = {
    "keras/__init__.py": "", "keras/src/__init__.py": "", "keras/src/callbacks/__init__.py": "",
    "keras/src/callbacks/callback_list.py": """
class CallbackList:
    def on_train_batch_end(self, batch, logs=None):
        return batch
""",
}


def run_with(files, code):
    run = tare.traced([PYTHON, "-c", code], cwd=write(tare.fresh("framework"), files))
    assert run.status == 0 and run.err == b"", run.err.decode()
    return run


def same_with(files, code):
    here = write(tare.fresh("framework"), files)
    return tare.same([PYTHON, "-c", code], cwd=here,
                     env=tare.environment(PYTHONDONTWRITEBYTECODE=1, PYTHONHASHSEED=0))


def training():
    run = run_with(TORCH, """
import time, torch
optimizer = torch.optim.Optimizer()
for epoch in range(5):
    for batch in torch.utils.data.DataLoader(range(20)):
        time.sleep(0.001)
        torch.autograd.backward()
        torch.autograd.backward()
        optimizer.step()
""")
    assert steps(run) == ("optimizer", 100), steps(run)
    assert clocks(run) == {"optimizer": 100, "backward": 200, "loader": 100, "epoch": 5}, clocks(run)


def backward_alone():
    run = run_with(TORCH, "import torch\nfor _ in range(70): torch.autograd.backward()")
    assert steps(run) == ("backward", 70), steps(run)


def loader_alone():
    run = run_with(TORCH, """
import torch
for epoch in range(4):
    batches = iter(torch.utils.data.DataLoader(range(20)))
    for batch in batches:
        pass
    assert vars(batches)["_num_yielded"] == batches._num_yielded == 20
""")
    assert steps(run) == ("loader", 80), steps(run)


def two_optimizers():
    run = run_with(TORCH, """
import torch
one, two = torch.optim.Optimizer(), torch.optim.Optimizer()
for _ in range(50):
    one.step(); two.step(); two.step()
""")
    assert steps(run) == ("optimizer", 50), steps(run)


def replaced_optimizers():
    """Let go, the next leads at once; kept, it leads after a while."""
    code = """
import torch
kept = []
for _ in range(10):
    optimizer = torch.optim.Optimizer()
    kept.append(optimizer if %d else None)
    for _ in range(100):
        optimizer.step()
"""
    run = run_with(TORCH, code % 0)
    assert steps(run) == ("optimizer", 1000), steps(run)
    run = run_with(TORCH, code % 1)
    assert steps(run) == ("optimizer", 1000 - 9 * 31), steps(run)


def one_optimizer_per_parameter():
    run = run_with(TORCH, """
import torch
many = [torch.optim.Optimizer() for _ in range(200)]
for _ in range(40):
    for optimizer in many:
        optimizer.step()
""")
    assert steps(run) == ("optimizer", 40), steps(run)


def before_torch_2():
    run = run_with({**TORCH, "torch/optim/optimizer.py": OLD}, """
from torch.optim.optimizer import SGD
for _ in range(3):
    optimizer = SGD()
for i in range(60):
    assert optimizer.step(i) == i + 1
assert SGD.step.hooked
""")
    assert steps(run) == ("optimizer", 60), steps(run)


def keras_batches():
    run = run_with(KERAS, """
from keras.src.callbacks.callback_list import CallbackList
callbacks = CallbackList()
for i in range(60):
    assert callbacks.on_train_batch_end(i) == i
""")
    assert steps(run) == ("batch", 60), steps(run)


def no_trace_in_the_module():
    same_with({**TORCH, **KERAS}, """
import sys, torch, importlib, keras.src.callbacks.callback_list
for name in sorted(sys.modules):
    if name.split(".")[0] in ("torch", "keras"):
        module = sys.modules[name]
        spec = module.__spec__
        print(name, sorted(vars(module)), type(spec), sorted(vars(spec)), type(module.__loader__),
              sorted(vars(module.__loader__)), module.__file__, spec.loader is module.__loader__)
spec = importlib.util.find_spec("torch.optim.optimizer")
print(repr(spec)[:40], spec.loader.get_source(spec.name)[:9], spec.submodule_search_locations)
engine = torch.autograd.Variable._execution_engine
print(type(engine), engine.queue_callback())
print(sorted(sys.path_importer_cache), sys.path)
importlib.reload(torch.optim.optimizer)
""")


def no_trace_in_tracebacks():
    warns = "import warnings\nwarnings.warn('old', stacklevel=2)\n1 / 0\n"
    late = {**TORCH, "torch/optim/optimizer.py": warns}
    same_with(late, "import torch")
    same_with(late, "try:\n    import torch\nexcept ZeroDivisionError: pass\nimport torch")
    same_with(TORCH, "import torch; torch.autograd.Variable._execution_engine.run_backward(True)")
    same_with(TORCH, "import torch; list(torch.utils.data.dataloader._BaseDataLoaderIter([1]).nothing)")
    same_with({}, "import torch.optim.optimizer")


def unlike_the_real_one():
    """A framework that has none of what we look for is imported all the same."""
    empty = {name: "" if "init" not in name else text for name, text in {**TORCH, **KERAS}.items()
             if "autograd" not in name}
    empty["torch/__init__.py"] = "from . import utils\n"
    empty["torch/utils/data/__init__.py"] = "from . import dataloader\n"
    empty["torch/optim/__init__.py"] = "from . import optimizer\n"
    same_with(empty, "import torch.optim, keras.src.callbacks.callback_list; print('imported')")


def other_finders():
    """A finder before us, one of the old kind, one that fails: as it would be without us."""
    for finder in ("class F:\n    def find_spec(self, *a): print('asked', a[0])",
                   "class F:\n    def find_module(self, *a): print('asked', a[0])",
                   "class F:\n    def find_spec(self, *a): raise KeyError(a[0])"):
        for place in ("0", "len(sys.meta_path)"):
            same_with(TORCH, f"""
import sys, warnings
warnings.simplefilter("ignore")
{finder}
sys.meta_path.insert({place}, F())
try:
    import torch
    print("imported")
except KeyError as error:
    print(repr(error))
""")


def asked_from_elsewhere():
    """A finder that has taken the others out of sys.meta_path and asks them itself."""
    same_with(TORCH, """
import sys
class Only:
    def __init__(self):
        self.others = list(sys.meta_path)
    def find_spec(self, *words):
        found = (other.find_spec(*words) for other in self.others)
        return next((spec for spec in found if spec), None)
sys.meta_path[:] = [Only()]
import torch, json
print("imported")
""")


tare.Cases().each({function.__name__: function for function in (
    training, backward_alone, loader_alone, two_optimizers, replaced_optimizers,
    one_optimizer_per_parameter, before_torch_2, keras_batches, no_trace_in_the_module,
    no_trace_in_tracebacks, unlike_the_real_one, other_finders, asked_from_elsewhere)})
