"""A second reader of ledgers, for the tests alone: made from layout.h and the .def files.

It shares no code with src/ledger/reader.c, so the two do not share their mistakes. It trusts what
it reads; whether hostile bytes are survived is the fuzzer's business.
"""
import ctypes
import mmap
import re
from pathlib import Path

from tare import ROOT

LAYOUT = "".join((ROOT / "src/ledger" / name).read_text() for name in
                 ("layout.h", "layout_run.h"))
TYPES = {"uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "uint32_t": ctypes.c_uint32,
         "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64, "char": ctypes.c_char}
CONSTANTS = {name: int(value) for name, value in
             re.findall(r"^#define ([A-Z_]+) +(\d+)\b",
                        LAYOUT + (ROOT / "src/ledger/levels.h").read_text(), re.M)}


def definitions(name, macro):
    """{spelling: number} of a .def file."""
    text = (ROOT / "src" / name).read_text()
    return {word: int(number) for number, word in
            re.findall(rf"^{macro}\((\d+), (\w+),", text, re.M)}


def structures(source, constants):
    """Every `struct` of a header as a ctypes structure. Fields there are naturally aligned."""
    text = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    made = {}
    for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.S | re.M):
        fields = []
        for kind, field, length in re.findall(r"(?:struct )?(\w+) (\w+)(?:\[(\w+)\])?;", body):
            ctype = TYPES.get(kind) or made[kind]
            if length:
                ctype = ctype * (constants.get(length) or int(length))
            fields.append((field, ctype))
        made[name] = type(name, (ctypes.LittleEndianStructure,), {"_fields_": fields})
    return made


STRUCTURES = structures(LAYOUT, CONSTANTS)
SECTIONS = definitions("ledger/sections.def", "SECTION")
LOST = definitions("ledger/lost.def", "LOST")
CLOCKS = definitions("ledger/clocks.def", "CLOCK")
GAUGES = definitions("ledger/gauges.def", "GAUGE")
RECORDS = dict(re.findall(r"^SECTION\(\d+, (\w+), struct (\w+),",
                          (ROOT / "src/ledger/sections.def").read_text(), re.M))


class Step:
    """A packed step, with every clock and gauge in its place."""

    def __init__(self, packed):
        self.packed = packed
        values = iter(packed.values)
        self.clock = self.column(packed.clocks, values, "LEDGER_CLOCKS")
        self.gauges = self.column(packed.gauges, values, "LEDGER_GAUGES")

    @staticmethod
    def column(bits, values, most):
        return [next(values) if bits >> number & 1 else 0 for number in range(CONSTANTS[most])]

    def __getattr__(self, field):
        return getattr(self.packed, field)


class Ledger:
    def __init__(self, path):
        self.path = Path(path)
        with open(self.path, "rb") as file:  # mapped, because most of it is a hole
            self.bytes = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        self.head = STRUCTURES["ledger_header"].from_buffer_copy(self.bytes)
        assert self.head.version == CONSTANTS["LEDGER_VERSION"], f"{path}: version {self.head.version}"

    def entry(self, section):
        for entry in self.head.table[:self.head.sections]:
            if entry.number == SECTIONS[section]:
                return entry
        raise KeyError(section)

    def records(self, section):
        """The records in use."""
        entry, kind = self.entry(section), STRUCTURES[RECORDS[section]]
        assert ctypes.sizeof(kind) == entry.record_size, f"{section}: {entry.record_size} bytes"
        count = min(entry.taken, (len(self.bytes) - entry.offset) // entry.record_size)
        return (kind * count).from_buffer_copy(self.bytes, entry.offset) if count > 0 else []

    def lost(self, reason):
        return self.records("lost")[LOST[reason]].count

    def live(self):
        """{address: block} of the live sampled blocks."""
        blocks = self.records("blocks")
        return {key.address: blocks[i] for i, key in enumerate(self.records("live"))
                if key.address > 1}

    def totals(self):
        return self.records("totals")[0]

    def live_bytes(self):
        return sum(c.born_bytes - c.dead_bytes for c in self.totals().classes)

    def live_blocks(self):
        return sum(c.born_blocks - c.dead_blocks for c in self.totals().classes)

    def steps(self):
        """The steps by ordinal."""
        levels, records = self.records("step_levels"), self.records("steps")
        found, start = [], 0
        for number, level in enumerate(levels):
            size = CONSTANTS["LEVELS_LATER" if number else "LEVELS_FIRST"]
            for at in range(level.head, level.tail):
                index = start + at % size
                if index < len(records):
                    found.append(records[index])
            start += size
        return [Step(packed) for packed in sorted(found, key=lambda step: (step.first, step.last))]

    def text(self, string):
        """The string of this id."""
        units = self.entry("strings").offset
        at = units + 8 * (string - 1)
        length = int.from_bytes(self.bytes[at:at + 4], "little")
        return self.bytes[at + 4:at + 4 + length].decode(errors="replace")

    def notes(self):
        used = self.entry("notes").used
        return [self.text(note.text) for note in list(self.records("notes"))[:used] if note.text]
