#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 900
"""What a backward pass allocates is charged to the line of the forward pass that made its node."""
from python_case import folder, judged, root, tare
from torch_case import HEAD, torch_python, train

# Blocks of 128 KiB and more, each kind at a line of its own; all gradients are kept.
KEPT = HEAD + """
first, second = nn.Linear(256, 512), nn.Linear(512, 512)
keep = []
def hold(gradient):
    keep.append(gradient.clone())
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return value * value
    @staticmethod
    def backward(ctx, gradient):
        value, = ctx.saved_tensors
        keep.append(value * gradient)  # OWN
        return gradient
def body():
    hidden = first(torch.randn(64, 256))
    hidden.register_hook(lambda gradient: keep.append(gradient))
    hidden = hidden.exp()  # EXP
    hidden = second(hidden / 100)
    return Square.apply(hidden).mean()
for step in range(100):
    START
    first.zero_grad()
    second.zero_grad()
"""

# An exception passes through the engine; what comes after it is not of a backward pass.
CAUGHT = HEAD + """
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value.clone()
    @staticmethod
    def backward(ctx, gradient):
        raise ValueError("no gradient today")
keep = []
layer = nn.Linear(256, 256)
for step in range(90):
    value = layer(torch.randn(64, 256))
    value.mean().backward()
    try:
        Bad.apply(value.detach().requires_grad_() * 2).sum().backward()
    except ValueError as error:
        assert "today" in str(error)
    keep.append(torch.zeros(64, 512))  # KEEP
print(len(keep))
"""

NUMBERS = HEAD + """
import threading
seen = []
def work():
    value = torch.ones(3, requires_grad=True)
    nodes = [(value * i).grad_fn._sequence_nr() for i in range(4)]
    seen.append([number - nodes[0] for number in nodes])
    torch.stack([value * i for i in range(40)]).sum().backward()
    seen.append(value.grad.tolist())
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
work()
print(sorted(map(str, seen)))
"""


def held_lines(run, text):
    """{word behind "# " at the end of the line: functions} of what is held, innermost frames."""
    lines = text.splitlines()
    found = {}
    for site in tare.live_sites(root(run)):
        place = site["allocated_at"][0] if site["allocated_at"] else {"file": None}
        if place["file"] and place["file"].endswith("train.py") and site["live_bytes"] > 2_000_000:
            word = lines[place["line"] - 1].rpartition("# ")[2].strip()
            found.setdefault(word, []).append(place["function"])
    return found


def lines_of(start):
    text = KEPT.replace("START", start)
    run = train(text)
    judged(root(run)["verdict"] == "retained", root(run)["answer"])
    found = held_lines(run, text)
    judged("OWN" in found, [(site["live_bytes"], site["allocated_at"][:2])
                            for site in tare.live_sites(root(run))[:8]])
    return found


def forward_line():
    found = lines_of("body().backward()")
    judged(found.get("EXP") == ["body, in its backward pass"], found)
    judged(found.get("OWN") == ["Square.backward"], found)


def in_a_thread():
    """Backward passes run in the thread that asks for them."""
    found = lines_of("import threading; t = threading.Thread(target=lambda: body().backward()); "
                     "t.start(); t.join()")
    judged(found.get("OWN") == ["Square.backward"], found)


def an_exception_passes():
    run = train(CAUGHT)
    found = held_lines(run, CAUGHT)
    judged([name for name in found.get("KEEP", []) if "backward" in name] == [], found)
    judged(found.get("KEEP"), found)


def same_numbers():
    """Numbers and results are those of the program without us, also of many threads."""
    tare.same([torch_python(), folder(train=NUMBERS) / "train.py"], timeout=300)


def without_a_run():
    """Preloaded, but nobody asked for a record: libtorch still finds its own functions."""
    run = tare.plain([torch_python(), folder(train=NUMBERS) / "train.py"], timeout=300,
                     env=tare.environment(LD_PRELOAD=tare.PROBE))
    assert (run.status, run.err) == (0, b""), run.err.decode()


tare.Cases().each({function.__name__: function for function in (
    forward_line, in_a_thread, an_exception_passes, same_numbers, without_a_run)})
