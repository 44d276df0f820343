"""The clocks of the process that a run started, and whether an adapter has connected."""
import ledger
import tare


def root(run):
    return tare.root_process(run.report())


def steps(run):
    """(name, ticks) of the chosen clock."""
    found = root(run)["steps"]
    return found["clock"], found["count"]


def clocks(run):
    """{clock: ticks} of all clocks with ticks, except time."""
    mine = next(p for p in tare.ledgers(run.directory) if p.name.startswith(f"{root(run)['pid']}."))
    ticks = ledger.Ledger(mine).totals().clock
    return {name: ticks[i] for name, i in ledger.CLOCKS.items() if ticks[i] and name != "time"}


def greeted(process):
    """Has an adapter connected to the probe?"""
    return any("adapter loaded" in note for note in process["notes"])
