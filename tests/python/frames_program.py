"""A program that allocates at the ends of random call chains and says who called, by its own account.

    frames_program.py SEED COUNT OUTPUT

Every block is made on one line with the call of `note`, which asks the interpreter for the frames;
the allocation and the question have the same chain but for their place in that line. Runs on 3.6 and
later. Ends by os._exit, so that the blocks are alive to the end.
"""
import asyncio
import functools
import json
import os
import random
import sys
import threading

kept = []
seen = {}
chance = random.Random(int(sys.argv[1]))
large_from = int(sys.argv[2])


def chain(frame):
    lines = []
    while frame is not None and len(lines) < 200:
        code = frame.f_code
        lines.append([os.fsencode(code.co_filename).hex(), getattr(code, "co_qualname", code.co_name),
                      frame.f_lineno or 0])
        frame = frame.f_back
    return lines


def note(block, earlier=0):
    """`earlier`: how many lines before this call the block was made."""
    lines = chain(sys._getframe(1))
    lines[0][2] -= earlier
    seen[id(block)] = lines
    kept.append(block)
    return block


def size():
    """The last ones are large, so that the report shows them."""
    return chance.randrange(600, 4000) if len(kept) < large_from else 4000000


# ---- ends of a chain ----

def end_plain():
    return note(bytes(size()))


def end_in_the_middle():
    pair = [1,
            bytes(size()),
            2]
    return note(pair[1], 2)


def end_after_many_lines():
    if not kept:
        pass

    # A jump of many lines, and one back.
    for again in range(3):
        if again < 2:
            continue
        block = bytes(size()); note(block)  # noqa: E702
    return block


def end_in_handler():
    try:
        raise ValueError
    except ValueError:
        return note(bytes(size()))
    finally:
        note(bytes(size()))


def end_in_comprehension():
    return [note(bytes(size())) for _ in range(2)][0]


def end_in_exec():
    lines = chance.randrange(300)
    space = {"note": note, "size": size}
    exec(compile("\n" * lines + "note(bytes(size()))\n", "<again>", "exec"), space)
    return kept[-1]


def end_in_other_letters():
    space = {"note": note, "size": size}
    name = chance.choice(["größe", "f_中文", "plain"])
    file = chance.choice(["<näme>", "<中文 😀>", "a\udc80b", "x" * 3000])
    exec(compile("def %s():\n    x = 1\n    return note(bytes(size()))\n" % name, file, "exec"), space)
    return space[name]()


def end_in_a_long_function():
    body = "".join("    x = %d\n" % i for i in range(chance.randrange(2000)))
    space = {"note": note, "size": size}
    exec(compile("def long():\n%s    return note(bytes(size()))\n" % body, "<long>", "exec"), space)
    return space["long"]()


ENDS = [value for name, value in sorted(globals().items()) if name.startswith("end_")]


# ---- links of a chain: each calls go(depth) in its own way ----

def by_function(depth):
    return go(depth)


def by_closure(depth):
    def inner():
        return go(depth)
    return inner()


def by_generator(depth):
    def numbers():
        yield 1
        yield go(depth)
    return [n for n in numbers()][1]


def by_yield_from(depth):
    def inner():
        yield go(depth)

    def outer():
        yield from inner()
    return next(outer())


def by_map(depth):
    return list(map(lambda _: go(depth), [0]))[0]


def by_sort(depth):
    return sorted([1, 2], key=lambda n: (go(depth), n)[1])


def by_reduce(depth):
    return functools.reduce(lambda a, b: go(depth), [1, 2])


def by_exec(depth):
    space = {"go": go, "depth": depth}
    exec(compile("\n" * chance.randrange(100) + "def f():\n  return go(depth)\nf()", "<made>", "exec"), space)


class Thing:
    def method(self, depth):
        return go(depth)

    @classmethod
    def of_class(cls, depth):
        return go(depth)

    @property
    def value(self):
        return go(self.depth)

    def __getattr__(self, name):
        return go(object.__getattribute__(self, "depth_of_" + name))

    def __add__(self, depth):
        return go(depth)

    def __enter__(self):
        return go(self.depth)

    def __exit__(self, *_):
        return None


def by_method(depth):
    return Thing().method(depth)


def by_classmethod(depth):
    return Thing.of_class(depth)


def by_property(depth):
    thing = Thing()
    thing.depth = depth
    return thing.value


def by_getattr(depth):
    thing = Thing()
    thing.depth_of_missing = depth
    return thing.missing


def by_operator(depth):
    return Thing() + depth


def by_with(depth):
    thing = Thing()
    thing.depth = depth
    with thing as found:
        return found


def by_class_body(depth):
    class Body:
        found = go(depth)
    return Body.found


def by_decorator(depth):
    def around(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return function(*arguments)
        return wrapper
    return around(go)(depth)


def by_comprehensions(depth):
    return {k: v for k, v in ((n, [go(depth) for _ in [0]]) for n in [1])}


def by_coroutine(depth):
    async def inner():
        return go(depth)

    async def outer():
        return await inner()
    try:
        outer().send(None)
    except StopIteration as done:
        return done.value


def by_event_loop(depth):
    async def inner():
        return go(depth)
    loop = asyncio.new_event_loop()
    try:
        if asyncio._get_running_loop() is None:
            return loop.run_until_complete(inner())
        return go(depth)
    finally:
        loop.close()


def by_thread(depth):
    thread = threading.Thread(target=go, args=(depth,))
    thread.start()
    thread.join()


def by_recursion(depth):
    def down(n):
        return down(n - 1) if n else go(depth)
    return down(chance.randrange(40))


LINKS = [value for name, value in sorted(globals().items()) if name.startswith("by_")]


def go(depth):
    if depth <= 0:
        return chance.choice(ENDS)()
    return chance.choice(LINKS)(depth - 1)


def run(count, output):
    sys.setrecursionlimit(20000)
    while len(seen) < count:
        go(chance.randrange(6))
    with open(output, "w") as file:
        json.dump(seen, file)


def main():
    count, output = int(sys.argv[2]), sys.argv[3]
    child = os.fork()
    if child == 0:
        run(count // 10, output + ".child")
        os._exit(0)
    run(count + 15, output)
    os.waitpid(child, 0)
    os._exit(0)


main()
