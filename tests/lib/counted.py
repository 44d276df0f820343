"""What a run has counted, of the process that was started: its clocks, and who said hello."""
import ledger
import tare


def root(run):
    return tare.root_process(run.report())


def steps(run):
    """(clock, ticks) of the clock that it is judged by."""
    found = root(run)["steps"]
    return found["clock"], found["count"]


def clocks(run):
    """{clock: ticks} of all the clocks that ticked but time."""
    mine = next(p for p in tare.ledgers(run.directory) if p.name.startswith(f"{root(run)['pid']}."))
    ticks = ledger.Ledger(mine).totals().clock
    return {name: ticks[i] for name, i in ledger.CLOCKS.items() if ticks[i] and name != "time"}


def greeted(process):
    """Has an adapter come?"""
    return any("adapter loaded" in note for note in process["notes"])
