"""What the runs of bench/gpu/run show, as a table in Markdown."""

import machine

LIVE, TAKEN = 0.01, 0.02  # by which the account may differ from the framework's count and the driver's
MEGABYTE = 1e6
NONE = "not there"
# The second table: what it is called, the key of the program's line, the key of the device's record.
ACCOUNT = (("live", "memory_allocated", "used"), ("most", "max_memory_allocated", "most"),
           ("reserved", "memory_reserved", "pool"), ("returnable", None, "returnable"),
           ("pinned", None, "pinned"))
HEAD = ("program", "truth", "tare says", "store line", "bytes per step: true", "tare's interval",
        "live, MB: framework", "tare", "driver, MB: process", "context", "tare", "seconds: alone",
        "with tare", "result")


def items(value):
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def devices_of(report):
    """The record of the first device: of the process that has taken most of it. Empty: it is not there."""
    found = [device for process in items(report.get("processes"))
             for device in items(process.get("devices")) if device.get("index", 0) == 0]
    return max(found, key=lambda device: device.get("taken") or 0, default={})


def megabytes(value):
    return NONE if value is None else f"{value / MEGABYTE:.1f}"


def difference(said, true):
    """How much of `true` is missing or too much; None: one of them is not known."""
    if said is None or not true:
        return None
    return (said - true) / true


def percent(share):
    return "" if share is None else f" ({100 * share:+.1f}%)"


class Row:
    """One program in one way. `by_device`: no other program used the device at that time."""

    def __init__(self, run, by_device):
        self.run, self.name, self.truth = run, run.truth.name, run.truth
        self.skipped = run.skipped
        self.result = self.answer = None
        self.live = self.taken = None
        if self.skipped:
            self.right = True
            return
        self.result, self.answer = run.judged()
        self.said = run.traced.get("said") or {}
        self.device = devices_of(run.report)
        self.live = difference(self.device.get("used"), self.said.get("memory_allocated"))
        self.taken = self.driver_difference(by_device)
        self.faults = [*self.result.faults, *self.lacks()]
        self.right = self.result.outcome in ("found", "right") and not self.lacks()

    def driver_difference(self, by_device):
        """Of the bytes of the process, its context included; else of the growth of what the device has."""
        taken = self.device.get("taken")
        context, process = self.said.get("context"), self.said.get("process")
        if taken is not None and context is not None and process:
            return difference(context + taken, process)
        return difference(taken, self.said.get("device_growth")) if by_device else None

    def lacks(self):
        """What is wrong beyond what corpus/score compares."""
        truth, missing = self.truth, []
        if not self.said.get("memory_allocated"):
            return missing  # no device
        own = [f for f in self.answer.findings if f.get("memory") != "device"]
        if own:
            missing.append(f"a finding about {own[0].get('memory', 'host')} memory")
        if truth.leaks and truth.stores() and not self.result.stored:
            missing.append("no store line")
        if truth.leaks and truth.holder and not self.result.held:
            missing.append("no holder")
        if truth.leaks and self.result.covers is False:
            missing.append("rate outside the interval")
        if truth.values["rate"] and self.said.get("growth_per_step"):
            wrong = difference(self.said["growth_per_step"], float(truth.values["rate"][0]))
            if abs(wrong) > 0.05:
                missing.append(f"the truth file's rate is wrong by{percent(wrong)}")
        if truth.values["refused"] and self.device and not self.device.get("refused"):
            missing.append("no refused request")
        if self.live is not None and abs(self.live) > LIVE:
            missing.append(f"live bytes differ by{percent(self.live)}")
        if self.taken is not None and abs(self.taken) > TAKEN:
            missing.append(f"the driver's bytes differ by{percent(self.taken)}")
        return missing

    def outcome(self):
        if self.skipped:
            return self.skipped if self.skipped.startswith("not") else f"skipped: {self.skipped}"
        return self.result.outcome if self.right or self.result.faults else "inexact"

    def line(self):
        """For the eye, while the others are running."""
        return f"{self.outcome():14} {self.name:28} {'' if self.skipped else '; '.join(self.faults)}".rstrip()

    def rates(self):
        """(the true one, what tare printed)."""
        if not self.truth.leaks or not self.truth.rate:
            return "", ""
        low_high = self.answer.rate(self.truth, "low", "high") if self.answer.findings else None
        return f"{self.truth.rate:.0f}", f"{low_high[0]:.0f} to {low_high[1]:.0f}" if low_high else ""

    def cells(self):
        if self.skipped:
            return [self.name, "|".join(self.truth.kinds), *[""] * (len(HEAD) - 3), self.outcome()]
        verdicts = ", ".join(self.result.verdicts)
        stored = "" if not self.truth.leaks or not self.truth.stores() else \
            "right" if self.result.stored else "no"
        driver = self.said.get("process") or self.said.get("device_growth")
        seconds = [f"{result.get('seconds', 0):.1f}" for result in (self.run.plain, self.run.traced)]
        return [self.name, "|".join(self.truth.kinds), verdicts, stored, *self.rates(),
                megabytes(self.said.get("memory_allocated")),
                megabytes(self.device.get("used")) + percent(self.live),
                megabytes(driver), megabytes(self.said.get("context")),
                megabytes(self.device.get("taken")) + percent(self.taken), *seconds, self.outcome()]


def line_of(cells):
    return "| " + " | ".join(cell.replace("|", " or ") for cell in cells) + " |"


def account_cells(row):
    """The program's numbers beside those of the report."""
    cells = [row.name]
    for _, said, seen in ACCOUNT:
        cells += [megabytes(row.said.get(said))] if said else []
        cells.append(megabytes(row.device.get(seen)))
    roles = row.device.get("roles") or {}
    cells.append(", ".join(f"{name} {megabytes(value)}" for name, value in roles.items()) or NONE)
    refused = row.device.get("refused") or {}
    said = f"{megabytes(refused.get('bytes'))}, free {megabytes(refused.get('free'))}"
    cells.append(said if refused else "")
    numbers = [row.said.get("process"), row.said.get("context"), row.device.get("taken")]
    return [*cells, megabytes(None if None in numbers else numbers[0] - numbers[1] - numbers[2])]


def account_table(rows):
    """The device's record in full, in megabytes."""
    head = ["program"]
    for name, said, _ in ACCOUNT:
        head += [f"{name}: framework", "tare"] if said else [name]
    head += ["roles", "refused", "neither context nor taken: kernels loaded later"]
    return [line_of(head), "|" + "---|" * len(head), *(line_of(account_cells(row)) for row in rows)]


def agree(name, shares, limit):
    known = [abs(share) for share in shares if share is not None]
    right = sum(share <= limit for share in known)
    return f"{name} within {limit:.0%}: {right} of {len(known)}" if known else f"{name}: {NONE}"


def summary(done):
    """The sentence below the table."""
    leaks = [row for row in done if row.truth.leaks]
    found = sum(row.result.outcome == "found" for row in leaks)
    alarms = sum(row.result.outcome == "FALSE ALARM" for row in done)
    return (f"{len(done)} runs, {sum(row.right for row in done)} right in everything; of {len(leaks)} leaks "
            f"{found} found; {alarms} false alarms; {agree('live bytes', [row.live for row in done], LIVE)}; "
            f"{agree('bytes of the driver', [row.taken for row in done], TAKEN)}.")


def markdown(rows, versions):
    """The whole page."""
    done = [row for row in rows if not row.skipped]
    faults = [f"- {row.name}: {'; '.join(row.faults)}" for row in done if row.faults]
    left_out = [f"- {row.name}: {row.outcome()}" for row in rows if row.skipped]
    lines = [machine.sentence(versions), "", line_of(HEAD), "|" + "---|" * len(HEAD),
             *(line_of(row.cells()) for row in rows), "", summary(done)]
    for title, list_of in (("Wrong or inexact:", faults), ("Left out:", left_out),
                           ("The accounts in MB:", account_table(done))):
        lines += ["", title, "", *list_of] if list_of else []
    return "\n".join(lines) + "\n"
