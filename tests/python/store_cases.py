"""Small programs, the path of what they hold, and the line that stores it.

In a source `#@` marks the line of the innermost frame of the allocation, `#@1` that of its caller and so
on, `#!` the line that is to be found, `#+` one where a container's storage was seen to grow. A path is
written as one step after another: what the step is, its name or number, the type of what it leads to, `*`
and the length of that, `<` and its bound. Without a path nobody knows who holds.
"""

TENSOR = "index 199 torch.Tensor / attribute grad_fn MseLossBackward0 / native AddmmBackward0"

CASES = {}


def case(name, path, **files):
    """`files`: {module: text}; "main" is the program, whose name is train.py."""
    CASES[name] = (path, files)


case("append", "module __main__ / attribute losses list *200 / " + TENSOR,
     main="""
losses = []
for step in range(200):
    loss = model(x)  #@
    loss.backward()
    losses.append(loss)  #!
""")

case("append-in-function", "frame main / local losses list *200 / " + TENSOR,
     main="""
def main():
    losses = []
    for step in range(200):
        loss = model(x)  #@
        losses.append(loss)  #!
    print(losses)

main()  #@1
""")

case("append-through-parameter", "module __main__ / attribute history list *200 / " + TENSOR,
     main="""
history = []

def train(out, model):
    for step in range(200):
        loss = model(step)  #@
        out.append(loss)  #!

train(history, None)  #@1
""")

case("append-through-keyword", "module __main__ / attribute history list *200 / " + TENSOR,
     main="""
history = []

def train(model, out=None):
    for step in range(200):
        loss = model(step)  #@
        out.append(loss)  #!

def other(out):
    out.append(3)

train(None, out=history)  #@1
""")

case("two-lists", "module __main__ / attribute kept list *200 / " + TENSOR,
     main="""
kept, numbers = [], []
for step in range(200):
    loss = model(step)  #@
    numbers.append(loss.item())
    kept.append(loss)  #!
""")

case("item-and-tensor-in-one-list", "module __main__ / attribute log list *400 / " + TENSOR,
     main="""
log = []
def note(x):
    log.append(x.item())
for step in range(200):
    loss = model(step)  #@
    log.append(loss.item())
    log.append(loss)  #!
""")

case("self-attribute", "frame main / local trainer Trainer / attribute losses list *200 / " + TENSOR,
     main="""
class Trainer:
    def __init__(self):
        self.losses = []

    def step(self, x):
        loss = self.model(x)  #@
        self.losses.append(loss)  #!

class Other:
    def step(self, x):
        self.losses.append(x)

def main():
    trainer = Trainer()
    for i in range(200):
        trainer.step(i)  #@1

main()  #@2
""")

case("self-attribute-stored-by-caller",
     "module __main__ / attribute trainer Trainer / attribute losses list *200 / " + TENSOR,
     main="""
class Trainer:
    def __init__(self):
        self.losses = []

    def step(self, x):
        return self.model(x)  #@

trainer = Trainer()
for i in range(200):
    loss = trainer.step(i)  #@1
    trainer.losses.append(loss)  #!
""")

case("inherited-attribute",
     "module __main__ / attribute t Fine / attribute seen list *200 / index 3 numpy.ndarray",
     main="""
class Base:
    def __init__(self):
        self.seen = []

    def keep(self, x):
        self.seen.append(x)  #!

class Fine(Base):
    def run(self, n):
        x = make(n)  #@
        self.keep(x)

t = Fine()
for i in range(200):
    t.run(i)  #@1
""")

case("imported-list", "module state / attribute history list *200 / " + TENSOR,
     main="""
from state import history

for step in range(200):
    loss = model(step)  #@
    history.append(loss)  #!
""",
     state="""
history = []
""")

case("module-attribute", "module state / attribute history list *200 / " + TENSOR,
     main="""
import state

for step in range(200):
    loss = model(step)  #@
    state.history.append(loss)  #!
""",
     state="""
history = []
""")

case("other-module-stores", "module state / attribute history list *200 / " + TENSOR,
     main="""
import state

for step in range(200):
    loss = model(step)  #@
    state.record(loss)
""",
     state="""
history = []

def record(value):
    history.append(value)  #!
""")

case("returned-list", "module __main__ / attribute results list *200 / index 9 numpy.ndarray",
     main="""
results = []

def target():
    return results

def work():
    kept = target()
    for i in range(200):
        array = make(i)  #@
        kept.append(array)  #!

work()  #@1
""")

case("dict-item", "module __main__ / attribute cache dict *200 / key '199' numpy.ndarray",
     main="""
cache = {}
for i in range(200):
    array = make(i)  #@
    cache[str(i)] = array  #!
""")

case("dict-item-in-one-line", "module __main__ / attribute cache dict *200 / key 199 numpy.ndarray",
     main="""
cache = {}
config = {"size": 3}

def lookup(i):
    if i not in cache:
        cache[i] = make(i)  #@ #!
    return cache[i]

for i in range(200):
    lookup(i)  #@1
""")

case("setdefault", "module __main__ / attribute cache dict *200 / key 199 numpy.ndarray",
     main="""
cache = {}
for i in range(200):
    array = make(i)  #@
    cache.setdefault(i, array)  #!
""")

case("setdefault-list",
     "module __main__ / attribute groups dict *3 / key 'a' list *100 / index 3 numpy.ndarray",
     main="""
groups = {}
for i in range(200):
    array = make(i)  #@
    groups.setdefault(name(i), []).append(array)  #!
""")

case("inner-list-of-a-fixed-dict",
     "module __main__ / attribute metrics dict *2 / key 'loss' list *200 / " + TENSOR,
     main="""
metrics = {"loss": [], "accuracy": []}
metrics["extra"] = None
for step in range(200):
    loss = model(step)  #@
    metrics["accuracy"].append(1.0)
    metrics["loss"].append(loss)  #!
""")

case("inner-list-by-a-name",
     "module __main__ / attribute metrics dict *2 / key 'loss' list *200 / " + TENSOR,
     main="""
metrics = {"loss": [], "accuracy": []}
kept = metrics["loss"]
for step in range(200):
    loss = model(step)  #@
    kept.append(loss)  #!
""")

case("defaultdict", "module __main__ / attribute by_name collections.defaultdict *4 / key 'a' list *50 / "
     "index 4 numpy.ndarray",
     main="""
from collections import defaultdict
by_name = defaultdict(list)

def add(name, i):
    array = make(i)  #@
    by_name[name].append(array)  #!

for i in range(200):
    add("abcd"[i % 4], i)  #@1
""")

case("outer-list-of-models", "module __main__ / attribute models list *60 / index 59 Model / "
     "attribute layers list *3 / index 0 Layer / attribute weight numpy.ndarray",
     main="""
class Layer:
    def __init__(self, n):
        self.weight = make(n)  #@

class Model:
    def __init__(self):
        self.layers = []
        for n in range(3):
            self.layers.append(Layer(n))  #@1

models = []
for i in range(60):
    model = Model()  #@2
    model.fit()
    models.append(model)  #!
""")

case("set-add", "module __main__ / attribute seen set *200 / key-itself bytes",
     main="""
seen = set()
for i in range(200):
    data = make(i)  #@
    seen.add(data)  #!
""")

case("deque", "module __main__ / attribute recent collections.deque *200 / index 1 bytes",
     main="""
from collections import deque
recent = deque()
for i in range(200):
    data = make(i)  #@
    recent.appendleft(data)  #!
""")

case("extend", "module __main__ / attribute rows list *2000 / index 1 bytes",
     main="""
rows = []
for i in range(200):
    more = read_rows(i)  #@
    rows.extend(more)  #!
""")

case("insert", "module __main__ / attribute rows list *200 / index 1 bytes",
     main="""
rows = []
for i in range(200):
    row = read_row(i)  #@
    rows.insert(0, row)  #!
""")

case("update", "module __main__ / attribute table dict *200 / key 'k' bytes",
     main="""
table = {}
for i in range(200):
    row = read_row(i)  #@
    table.update({i: row})  #!
""")

case("list-plus-equals", "module __main__ / attribute rows list *200 / index 1 bytes",
     main="""
rows = []
for i in range(200):
    row = read_row(i)  #@
    rows += [row]  #!
""")

case("list-plus-list", "frame main / local rows list *200 / index 1 bytes",
     main="""
def main():
    rows = []
    for i in range(200):
        row = read_row(i)  #@
        rows = rows + [row]  #!
    return rows

main()  #@1
""")

case("tensor-plus-equals",
     "module __main__ / attribute total torch.Tensor / attribute grad_fn AddBackward0 / "
     "native AddBackward0 / native MseLossBackward0",
     main="""
total = 0
for step in range(200):
    loss = model(step)  #@
    loss.backward()
    total += loss  #!
""")

case("self-plus-equals", "frame main / local meter Meter / attribute sum torch.Tensor / "
     "attribute grad_fn AddBackward0",
     main="""
class Meter:
    def __init__(self):
        self.sum = 0.0

    def add(self, value):
        self.sum += value  #!

def main():
    meter = Meter()
    for step in range(200):
        loss = model(step)  #@
        meter.add(loss)

main()  #@1
""")

case("hidden-state", "frame main / local hidden torch.Tensor / attribute grad_fn TanhBackward0 / "
     "native AddmmBackward0",
     main="""
def main():
    hidden = zeros(3)
    for step in range(200):
        hidden = cell(x, hidden)  #@ #!
        y = head(hidden)

main()  #@1
""")

case("hidden-state-in-a-tuple", "frame main / local state tuple *2 / index 0 torch.Tensor / "
     "attribute grad_fn TanhBackward0",
     main="""
def main():
    state = None
    for step in range(200):
        out, state = lstm(x, state)  #@ #!
        loss = criterion(out)

main()  #@1
""")

case("hidden-state-attribute", "module __main__ / attribute net Net / attribute h torch.Tensor / "
     "attribute grad_fn TanhBackward0",
     main="""
class Net:
    def __init__(self):
        self.h = None
        self.reset()

    def reset(self):
        self.h = zeros(3)

    def forward(self, x):
        self.h = self.cell(x, self.h)  #@ #!
        return self.h

net = Net()
for step in range(200):
    net.forward(step)  #@1
""")

case("default-argument",
     "module __main__ / attribute collect function / default seen list *200 / index 1 bytes",
     main="""
def collect(i, seen=[]):
    data = make(i)  #@
    seen.append(data)  #!
    return len(seen)

def other(i, seen=None):
    seen.append(i)

for i in range(200):
    collect(i)  #@1
""")
