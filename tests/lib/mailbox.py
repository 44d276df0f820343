"""A second doctor, only for tests: it sends requests to a program through its mailbox.

Made from mailbox.h and requests.def, as ledger.py is from layout.h. It takes the last slots, the doctor
of `tare run` takes the first.
"""
import ctypes
import mmap
import re
import time

import ledger
from tare import ROOT

HEADER = (ROOT / "src/ledger/mailbox.h").read_text()
CONSTANTS = {name: int(value) for name, value in
             re.findall(r"^#define ([A-Z_]+) +(\d+)\b", HEADER, re.M)}
STATES = {name: int(number) for name, number in
          re.findall(r"^    REQUEST_([A-Z]+) = (\d+)", HEADER, re.M)}
KINDS = ledger.definitions("ledger/requests.def", "REQUEST")
MAILBOX = ledger.structures(HEADER, CONSTANTS)["mailbox"]


class Mailbox:
    def __init__(self, path):
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), CONSTANTS["MAILBOX_SIZE"])
        self.page = MAILBOX.from_buffer(self.map)

    def ask(self, kind, argument=(0, 0, 0, 0), seconds=60):
        """The slot of the request, or None if all slots are in use."""
        for slot in reversed(self.page.slots):
            if slot.state != STATES["FREE"]:
                continue
            slot.state = STATES["CLAIMED"]
            slot.kind = KINDS[kind]
            slot.deadline = time.monotonic_ns() + int(seconds * 1e9)
            slot.argument[:] = argument
            slot.answer[:] = (0, 0, 0, 0)
            slot.answered = 0
            slot.state = STATES["ASKED"]
            self.page.word += 1
            return slot
        return None

    def holders(self, site, seconds=60):
        """Requests the holders of the blocks of a site (index + 1)."""
        return self.ask("holders", (site, 0, 0, 0), seconds)


def collect(slot):
    """The state of a request; the slot of a finished one is released."""
    name = next(name for name, number in STATES.items() if number == slot.state)
    if name == "ASKED" and time.monotonic_ns() > slot.deadline:
        name = "EXPIRED"
    if name in ("DONE", "REFUSED", "EXPIRED"):
        slot.state = STATES["FREE"]
    return name
