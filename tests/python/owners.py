"""The paths through Python objects that a run's ledgers have, spelled so that a test can compare them."""
import re

from python_case import judged, ledger, tare

KINDS = {"MODULE": "{name}", "FRAME": "{name}()", "THREAD": "<{name}>", "RUNTIME": "<runtime>",
         "ATTRIBUTE": ".{name}", "LOCAL": " {name}", "CLOSURE": " closes over {name}",
         "DEFAULT": " by default {name}", "KEY": "[{name}]", "KEY_ITSELF": "{{}}", "INDEX": "[#]",
         "PART": " part '{name}'", "NATIVE": " native"}
NUMBERS = {int(number): name for name, number in
           re.findall(r"OWNER_(\w+) = (\d+)", ledger.LAYOUT)}


def paths(run):
    """(holder, steps) of every answered question, steps as (kind, name, type, record)."""
    for path in tare.ledgers(run.directory):
        book = ledger.Ledger(path)
        holders = list(book.records("holders"))[:book.entry("holders").used]
        owners = list(book.records("owners"))[:book.entry("owners").used]
        for number, holder in enumerate(holders, 1):
            steps = sorted((o for o in owners if o.holder == number), key=lambda o: o.position)
            cycle = next((i for i, o in enumerate(steps) if NUMBERS[o.kind] == "CYCLE"), len(steps))
            steps = steps[:cycle]  # which is told behind the path
            yield holder, [(NUMBERS[o.kind], book.text(o.name) if o.name else "",
                            book.text(o.type) if o.type else "", o) for o in steps]


def spelled(steps):
    return "".join(KINDS[kind].format(name=name) for kind, name, _, _ in steps)


def matches(steps, want):
    said = spelled(steps)
    if "[*]" not in want:
        return said == want
    head, tail = want.split("[*]")
    return said.startswith(head) and said.endswith(tail) and said[len(head):len(said) - len(tail)]


def held(run, want):
    """The steps of the path that is spelled so; most of its blocks must have been reached."""
    found = list(paths(run))
    for holder, steps in found:
        if matches(steps, want):
            judged(2 * holder.reached > holder.targets, f"{holder.reached} of {holder.targets}")
            return steps
    return judged(False, f"no {want} in {[(h.state, h.targets, spelled(s)) for h, s in found]}")
