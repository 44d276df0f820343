"""Small leaks, as they are written by hand. CASES: name: (before the loop, in it, the code that the report
must print, or None for words alone). Every code is put where the report says and run."""

HEAD = "import tare\n"
LOOP = "\nfor turn in range(160):\n    data = bytearray(30000 + turn)\n{inside}\n    tare.step()\n{after}\n"

CASES = {
    "list": ("kept = []", "kept.append(data)", "del kept[:-20]  # if the newest 20 are enough"),
    "list of several lines": ("kept = []", "kept.append(\n    (turn,\n     data))", "del kept[:-20]"),
    "counted from the start": ("kept = []", "kept.append(data); len(kept[turn])", None),
    "by number, on a line of its own": ("kept = []", "kept.append(data)\nlen(kept[turn])", None),
    "the last one": ("kept = []", "kept.append(data)\nlen(kept[-1])", "del kept[:-20]"),
    "two on a line": ("kept = []", "turn += 1; kept.append(data)", None),
    "behind a condition": ("kept = []", "if turn >= 0: kept.append(data)", None),
    "in a comprehension": ("kept = []", "[kept.append(bytearray(x)) for x in (30000,)]", None),
    "in a lambda": ("kept = []\nkeep = lambda x: kept.append(x)", "keep(data)", None),
    "returned": ("kept = {}\ndef keep(key, value):\n    return kept.setdefault(key, value)",
                 "keep(turn, data)", "while len(kept) > 20:"),
    "list in a dict": ("kept = {}", "kept.setdefault('all', []).append(data)",
                       "del kept.setdefault('all', [])[:-20]"),
    "deque": ("from collections import deque\nkept = deque()", "kept.append(data)",
              "while len(kept) > 20:  # if the newest 20 are enough\n    kept.popleft()"),
    "dict": ("kept = {}", "kept[turn] = data", "while len(kept) > 20:"),
    "dict of a class": ("class Table:\n    rows = {}\n"
                        "    def add(self, key, row):\n        self.rows[key] = row\n"
                        "table = Table()", "table.add(turn, data)", "while len(self.rows) > 20:"),
    "a class of the program": ("class Rows(list):\n    pass\nkept = Rows()", "kept.append(data)", None),
    "set": ("kept = set()",
            "kept.add(bytes(data))", "while len(kept) > 20:  # if any 20 are enough\n    kept.pop()"),
    "set with removal": ("kept = set()", "kept.add(bytes(data))\nif turn < 0:\n    kept.remove(turn)", None),
    "queue": ("import queue\nkept = queue.Queue()", "kept.put(data)", "while kept.qsize() > 20:"),
    "queue with join": ("import queue\nkept = queue.Queue()",
                        "kept.put(data)\nif turn < 0:\n    kept.join()", None),
    "tuple": ("kept = ()", "kept = kept + (data,)", "kept = kept[-20:]  # if the newest 20 are enough"),
    "list plus list": ("kept = []", "kept = kept + [data]", "kept = kept[-20:]"),
    "extended": ("kept = []", "kept += [data]", "del kept[:-20]"),
    "cache": ("import functools\n@functools.lru_cache(maxsize=None)\n"
              "def make(number):\n    return bytearray(30000)", "make(turn)",
              "@functools.lru_cache(maxsize=20)"),
    "cache of another name": ("from functools import cache as memo\n@memo\ndef make(number):\n"
                              "    return bytearray(30000)", "make(turn)",
                              "from functools import lru_cache\n@lru_cache(maxsize=20)"),
    "cache under another decorator": ("from functools import cache\ndef plain(f):\n    return f\n"
                                      "@plain\n@cache\ndef make(number):\n    return bytearray(30000)",
                                      "make(turn)", None),
    "default": ("def keep(row, seen=[]):\n    seen.append(row)", "keep(data)",
                "def keep(row, seen=None):\n    if seen is None:\n        seen = []"),
    "default with a docstring": ("def keep(row, seen=[]):\n    'Keep it.'\n    seen.append(row)",
                                 "keep(data)", None),
    "default of several lines": ("def keep(row,\n         seen=[]):\n    seen.append(row)",
                                 "keep(data)", None),
    "exception": ("kept = []\ndef work(data):\n    raise ValueError('no')",
                  "try:\n    work(data)\nexcept ValueError as error:\n    kept.append(error)",
                  "kept.append(repr(error))"),
    "exception that is used": ("kept = []\ndef work(data):\n    raise ValueError('no')",
                               "try:\n    work(data)\nexcept ValueError as error:\n    kept.append(error)\n"
                               "assert kept[-1].args == ('no',)", "kept.append(error.with_traceback(None))"),
    "exception from another": ("kept = []\ndef work(data):\n    try:\n        raise KeyError('no')\n"
                               "    except KeyError as why:\n        raise ValueError('no') from why",
                               "try:\n    work(data)\nexcept ValueError as error:\n    kept.append(error)",
                               "kept.append(repr(error))"),
    "handler": ("import io, logging\nlog = logging.getLogger('jobs')\nlog.propagate = False\ndef job(data):\n"
                "    handler = logging.StreamHandler(io.StringIO(data.decode('latin')))\n"
                "    log.addHandler(handler)\n    log.warning('done')\n    return len(data)", "job(data)",
                "log.removeHandler(handler)"),
}

CYCLE = """import gc
gc.disable()
import tare
class Page:
    def __init__(self):
        self.text = bytearray(30000)
        self.first = self
    def title(self):
        return len(self.text)
for turn in range(160):
    page = Page()
    assert page.first.title() == 30000
    tare.step()
"""

TASKS = """import asyncio, tare
kept = set()
async def work(number):
    await asyncio.sleep(0)
    return bytearray(30000)
async def main():
    for turn in range(160):
        task = asyncio.create_task(work(turn))
        kept.add(task)
        await task
        tare.step()
asyncio.run(main())
"""

WHOLE = {
    "cycle": (CYCLE, "import weakref\nself.first = weakref.proxy(self)"),
    "tasks": (TASKS, "task.add_done_callback(kept.discard)"),
}

TORCH = """import torch, tare
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(64, 64)
cell = nn.LSTMCell(64, 64)
optimizer = torch.optim.SGD([*model.parameters(), *cell.parameters()], lr=0.01)
{before}
for step in range(120):
    x = torch.randn(32, 64)
    loss = model(x).square().mean()
{inside}
    tare.step()
{after}
"""
BACK = "optimizer.zero_grad()\nloss.backward()\noptimizer.step()\n"

TENSORS = {  # the same, and what is done after the loop
    "loss": ("losses = []", BACK + "losses.append(loss)", "losses.append(loss.item())", "print(sum(losses))"),
    "loss that is used": ("losses = []", BACK + "losses.append(loss)", "losses.append(loss.detach())",
                          "print(losses[-1].item(), torch.stack(losses).mean().item())"),
    "loss in a record": ("log = []", BACK + "log.append({'step': step, 'loss': loss})",
                         "log.append({'step': step, 'loss': loss.item()})", ""),
    "loss that may be missing": ("losses = []\nloss = None", "if step % 50 == 49:\n    loss = None\n"
                                 "losses.append(loss)\nif loss is not None:\n    " +
                                 BACK.replace("\n", "\n    "),
                                 "losses.append((None if loss is None else loss.item()))", ""),
    "sum of losses": ("total = 0.0", BACK + "total += loss", "total += loss.item()", "print(float(total))"),
    "episode": ("steps = []", "steps.append(loss)\nwhole = torch.stack(steps[-4:]).sum()\n"
                "optimizer.zero_grad()\nwhole.backward(retain_graph=True)", "del steps[:-20]", ""),
    "state": ("state = torch.zeros(32, 64)", "state = torch.tanh(model(x + state))", "state = state.detach()",
              ""),
    "state of an LSTM": ("state = None", "state = cell(x, state)",
                         "state = tuple(part.detach() for part in state)", ""),
    "outputs": ("outs = []", "out = model(x)\nouts.append(out)",
                ("outs.append(out.detach())\ndel outs[:-20]", "del outs[:-20]"),
                "print(torch.cat(outs).shape)"),
    "object with a tensor": ("from types import SimpleNamespace\nouts = []",
                             "outs.append(SimpleNamespace(out=model(x)))",
                             ("outs.append(SimpleNamespace(out=model(x).detach()))", "del outs[:-20]"), ""),
    "object made elsewhere": ("from types import SimpleNamespace\nouts = []\ndef run(x):\n"
                              "    return SimpleNamespace(out=model(x))", "outs.append(run(x))",
                              "del outs[:-20]", ""),
    "list of states": ("states = [torch.zeros(32, 64), torch.zeros(32, 64)]",
                       "states = [torch.tanh(model(x + one)) for one in states]", None, ""),
    "loss of a state": ("state = None", "state = cell(x, state)\nloss = state[0].square().mean()", ("",), ""),
    "joined outputs": ("outs = torch.empty(0, 64)", "outs = torch.cat([outs, model(x)])",
                       "outs = outs.detach()[-100:]", "print(outs.mean().item())"),
}
