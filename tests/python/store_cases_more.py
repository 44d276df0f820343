"""More small programs; see store_cases.py, whose table they are put into."""
from store_cases import case


case("closure", "module __main__ / attribute inner function / closure buf list *200 / index 1 bytes",
     main="""
def make():
    buf = []

    def inner(i):
        data = read(i)  #@
        buf.append(data)  #!
        return len(buf)
    return inner

inner = make()
for i in range(200):
    inner(i)  #@1
""")

case("nonlocal", "module __main__ / attribute step function / closure total torch.Tensor / "
     "attribute grad_fn AddBackward0",
     main="""
def trainer():
    total = 0

    def step(i):
        nonlocal total
        loss = model(i)  #@
        total = total + loss  #!
    return step

step = trainer()
for i in range(200):
    step(i)  #@1
""")

case("global", "module __main__ / attribute rows list *200 / index 1 bytes",
     main="""
rows = []

def add(i):
    global rows
    row = read_row(i)  #@
    rows = rows + [row]  #!

for i in range(200):
    add(i)  #@1
""")

case("class-attribute",
     "module __main__ / attribute Registry type / attribute items dict *200 / key 3 bytes",
     main="""
class Registry:
    items = {}

    @classmethod
    def register(cls, key, value):
        cls.items[key] = value  #!

for i in range(200):
    data = make(i)  #@
    Registry.register(i, data)
""")

case("class-attribute-from-outside", "type __main__.Registry / attribute items dict *200 / key 3 bytes",
     main="""
class Registry:
    items = {}

for i in range(200):
    data = make(i)  #@
    Registry.items[i] = data  #!
""")

case("instances-list",
     "type __main__.Node / attribute instances list *200 / index 3 Node / attribute data bytes",
     main="""
class Node:
    instances = []

    def __init__(self, i):
        self.data = make(i)  #@
        Node.instances.append(self)  #!

for i in range(200):
    Node(i)  #@1
""")

case("forward-hooks", "module __main__ / attribute model torch.nn.Linear / "
     "attribute _forward_hooks collections.OrderedDict *200 / key 3 function / "
     "closure data bytes",
     main="""
model = build()
for i in range(200):
    data = make(i)  #@
    model.eval()
    model.register_forward_hook(lambda m, a, b: data)  #!
""")

case("log-handlers", "module logging / attribute root logging.RootLogger / attribute handlers list *200 / "
     "index 4 logging.StreamHandler",
     main="""
import logging

def run(i):
    logger = logging.getLogger()
    handler = logging.StreamHandler()  #@
    handler.setLevel(3)
    logger.addHandler(handler)  #!

for i in range(200):
    run(i)  #@1
""")

case("atexit", "runtime atexit list *200 / index 3 function / closure data bytes",
     main="""
import atexit
for i in range(200):
    data = make(i)  #@
    atexit.register(lambda: data)  #!
""")

case("atexit-without-a-name", "runtime / part function / default bytes",
     main="""
import atexit
for i in range(200):
    data = make(i)  #@
    atexit.register(lambda d=data: print(d))  #!
""")

case("callbacks", "module __main__ / attribute bus Bus / attribute callbacks list *200 / index 3 function",
     main="""
class Bus:
    def __init__(self):
        self.callbacks = []

    def listen(self, function):
        self.callbacks.append(function)  #!

bus = Bus()
for i in range(200):
    data = make(i)  #@
    bus.listen(lambda: data)
""")

case("lru-cache", "module __main__ / attribute features functools._lru_cache_wrapper *200 / "
     "key-itself numpy.ndarray",
     main="""
from functools import lru_cache

@lru_cache(maxsize=None)  #!
def features(i):
    return make(i)  #@

for i in range(200):
    features(i)  #@1
""")

case("cache-on-a-method",
     "type __main__.Model / attribute forward functools._lru_cache_wrapper *200 / part",
     main="""
import functools

class Model:
    @property
    def size(self):
        return 3

    @functools.cache  #!
    def forward(self, i):
        return make(i)  #@

for i in range(200):
    Model().forward(i)  #@1
""")

case("cache-by-call", "module __main__ / attribute fast functools._lru_cache_wrapper *200",
     main="""
import functools

def slow(i):
    return make(i)  #@

fast = functools.lru_cache(maxsize=None)(slow)  #!
for i in range(200):
    fast(i)  #@1
""")

case("own-memo", "module __main__ / attribute fast function / closure memo dict *200 / "
     "key (3,) numpy.ndarray",
     main="""
def memoize(function):
    memo = {}

    def wrapper(*args):
        if args not in memo:
            memo[args] = function(*args)  #! #@1
        return memo[args]
    return wrapper

@memoize
def fast(i):
    return make(i)  #@

for i in range(200):
    fast(i)  #@2
""")

case("generator-local", "module __main__ / attribute rows generator / local seen list *200 / index 2 bytes",
     main="""
def read():
    seen = []
    for i in range(1000):
        data = make(i)  #@
        seen.append(data)  #!
        yield data

rows = read()
for row in rows:  #@1
    pass
""")

case("exceptions", "module __main__ / attribute errors list *200 / index 1 ValueError / "
     "attribute __traceback__ traceback / attribute tb_frame frame / local data bytes",
     main="""
errors = []

def work(i):
    data = make(i)  #@
    raise ValueError(i)

for i in range(200):
    try:
        work(i)  #@1
    except ValueError as error:
        errors.append(error)  #!
""")

case("thread-local", "thread threading.local / attribute rows list *200 / index 3 bytes",
     main="""
import threading
local = threading.local()
local.rows = []

def work(i):
    data = make(i)  #@
    local.rows.append(data)  #!

for i in range(200):
    work(i)  #@1
""")

case("queue", "module __main__ / attribute jobs queue.Queue / attribute queue collections.deque *200 / "
     "index 3 bytes",
     main="""
import queue
jobs = queue.Queue()
for i in range(200):
    data = make(i)  #@
    jobs.put(data)  #!
""")

case("setattr", "module __main__ / attribute box Box / attribute value_3 bytes",
     main="""
class Box:
    pass

box = Box()
for i in range(200):
    data = make(i)  #@
    setattr(box, "value_%d" % i, data)  #!
""")

case("walrus", "module __main__ / attribute rows list *200 / index 3 bytes",
     main="""
rows = []
while len(rows) < 200:
    if (data := make(3)):  #@
        rows.append(data)  #!
""")

case("dict-in-list",
     "module __main__ / attribute log list *200 / index 3 dict *2 / key 'loss' torch.Tensor / "
     "attribute grad_fn MeanBackward0",
     main="""
log = []
for step in range(200):
    loss = model(step)  #@
    log.append({"step": step, "loss": loss})  #!
""")

case("alias-of-an-attribute",
     "module __main__ / attribute app App / attribute rows list *200 / index 3 bytes",
     main="""
class App:
    def __init__(self, rows):
        self.rows = rows

shared = []
app = App(shared)
for i in range(200):
    data = make(i)  #@
    shared.append(data)  #!
""")

case("thread-target", "module __main__ / attribute done list *200 / index 3 bytes",
     main="""
import threading
done = []

def worker(out):
    for i in range(200):
        data = make(i)  #@
        out.append(data)  #!

threading.Thread(target=worker, args=(done,)).start()
""")

case("comprehension", "module __main__ / attribute batches list *200 / index 3 list *8 / index 1 bytes",
     main="""
batches = []
for i in range(200):
    batch = [make(k) for k in range(8)]  #@
    batches.append(batch)  #!
""")

case("measured-decides", "module __main__ / attribute rows list *400 / index 3 bytes",
     main="""
rows = []

def a(x):
    rows.append(x)  #! #+

def b(x):
    rows.append(x)
""")

case("held-by-a-library",
     "module tensorflow.python.framework.ops / attribute _gradient_registry Registry / "
     "attribute _registry dict *200 / key 'CustomGradient-7' dict",
     main="""
model = build()
for i in range(200):
    model.fit(x, y)  #@ #!
""")

case("concat", "module __main__ / attribute data numpy.ndarray",
     main="""
import numpy as np
data = np.zeros(0)
for i in range(200):
    more = make(i)
    data = np.concatenate([data, more])  #@ #!
""")

case("optimizers", "module __main__ / attribute optimizers list *60 / index 3 torch.optim.adam.Adam / "
     "attribute state dict *4 / key-itself torch.Tensor",
     main="""
optimizers = []
for epoch in range(60):
    optimizer = Adam(model.parameters())
    optimizers.append(optimizer)  #!
    for x in data:
        loss = model(x)
        loss.backward()
        optimizer.step()  #@
""")

case("inside-a-library-mapping", "module __main__ / attribute layouts weakref.WeakKeyDictionary / "
     "attribute data dict *150 / key ref Layout / attribute places numpy.ndarray",
     main="""
import weakref
layouts = weakref.WeakKeyDictionary()

class Layout:
    def __init__(self, graph):
        self.graph = graph
        self.places = make(graph)  #@

for i in range(150):
    graph = read(i)
    layouts[graph] = Layout(graph)  #! #@1
""")

case("bound-method-of-a-session", "frame Session.__init__ / local bus Bus / attribute listeners dict *1 / "
     "key 'price' list *150 / index 3 method / part __self__ Session / "
     "attribute book numpy.ndarray",
     main="""
class Bus:
    def __init__(self):
        self.listeners = {}

    def subscribe(self, topic, call):
        self.listeners.setdefault(topic, [])
        self.listeners[topic].append(call)  #!

class Session:
    def __init__(self, bus):
        self.book = make(3)  #@
        bus.subscribe("price", self.on_price)

    def on_price(self, price):
        self.book[0] = price

bus = Bus()
for i in range(150):
    Session(bus)  #@1
""")

case("no-path-one-statement-fits", "",
     main="""
losses = []
for step in range(200):
    loss = model(step)  #@
    numbers.append(loss.item())
    losses.append(loss)  #!
""")

case("no-path-two-statements-fit", "",
     main="""
losses, others = [], []
for step in range(200):
    loss = model(step)  #@
    losses.append(loss)
    others.append(loss)
""")

case("no-path-emptied-again", "",
     main="""
losses = []
for step in range(200):
    loss = model(step)  #@
    losses.append(loss)
    if len(losses) > 20:
        losses.clear()
""")

case("no-path-made-anew", "",
     main="""
for epoch in range(10):
    losses = []
    for step in range(200):
        loss = model(step)  #@
        losses.append(loss)
""")

case("no-path-only-numbers-are-kept", "",
     main="""
losses = []
for step in range(200):
    loss = model(step)  #@
    losses.append((step, float(loss.mean())))
""")

case("no-path-list-of-one-call", "",
     main="""
def forward(x, hidden):
    outputs = []
    for i in range(8):
        hidden = cell(x[i], hidden)  #@
        outputs.append(head(hidden))
    return outputs, hidden

hidden = None
for step in range(200):
    scores, hidden = forward(step, hidden)  #@1
""")

case("held-by-the-interpreter", "runtime / part list list *300",
     main="""
import logging
for i in range(200):
    handler = logging.StreamHandler()
    logging.info("a message")  #@
""")
