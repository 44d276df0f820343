"""Forged runs: ledgers whose texts were changed afterwards."""
import struct
from pathlib import Path

import ledger


def rename(directory, old, new, files="*.tare"):
    """Replaces every text `old` in the ledgers by `new`, which must not be longer."""
    old, new, changed = str(old).encode(), str(new).encode(), 0
    assert len(new) <= len(old), (old, new)
    for path in Path(directory).glob(files):
        data = bytearray(path.read_bytes())
        whole = struct.pack("<I", len(old)) + old + b"\0"
        forged = (struct.pack("<I", len(new)) + new + b"\0").ljust(len(whole), b"\0")
        changed += data.count(whole)
        path.write_bytes(data.replace(whole, forged))
    assert changed, f"no ledger in {directory} holds {old}"


def set_head(path, field, text):
    """Sets the header's `program`, `command`, … to a text of any length, which is appended to the texts."""
    text = str(text).encode()
    data = bytearray(Path(path).read_bytes())
    entry = ledger.Ledger(path).entry("strings")
    units = (4 + len(text) + 1 + 7) // 8
    at = entry.offset + entry.used * 8
    assert entry.used + units <= entry.taken, "no room for one more text"
    data[at:at + units * 8] = (struct.pack("<I", len(text)) + text).ljust(units * 8, b"\0")
    head = ledger.STRUCTURES["ledger_header"].from_buffer(data)
    head.table[ledger.SECTIONS["strings"]].used = entry.used + units
    setattr(head, field, entry.used + 1)
    del head
    Path(path).write_bytes(data)
