"""Small stand-ins for foreign modules: ELF files of a build-id and the few symbols that a run needs.

Names in a report come from the symbol tables of the C library, the interpreter and others, which differ
from machine to machine. A stored run names stand-ins instead, with the symbols as they were where it was
recorded. Their build-id is made up, so that no installed debug file fits.
"""
import bisect
import hashlib
import struct
import subprocess

TYPES = {"NOTYPE": 0, "OBJECT": 1, "FUNC": 2, "IFUNC": 10}
BINDS = {"LOCAL": 0, "GLOBAL": 1, "WEAK": 2, "UNIQUE": 10}
UNSIZED = 4096  # bytes that src/doctor/source/symbol_table.c grants to a function without a size


def build_id(path):
    return hashlib.sha1(b"tare golden " + str(path).encode()).digest()


def symbols_of(path):
    """(value, size, type, bind, name) of what a module defines, sorted: its .symtab, else its .dynsym."""
    text = subprocess.run(["readelf", "-sW", str(path)], capture_output=True, text=True, check=True).stdout
    tables = {}
    for line in text.splitlines():
        words = line.split(None, 7)
        if line.startswith("Symbol table"):
            table = tables.setdefault(line.split("'")[1], set())
        elif len(words) == 8 and words[3] in TYPES and words[4] in BINDS and words[6] != "UND":
            name = words[7].split("@")[0].strip()
            table.add((int(words[1], 16), int(words[2], 0), words[3], words[4], name))
    return sorted(tables.get(".symtab") or tables.get(".dynsym") or ())


def needed(symbols, addresses):
    """Those that cover one of the addresses, and of each address the last that begins before it."""
    starts = [symbol[0] for symbol in symbols]
    chosen = set()
    for address in addresses:
        last = bisect.bisect_right(starts, address)
        if last:
            chosen.update(s for s in symbols[max(0, last - 64):last] if s[0] == starts[last - 1])
        chosen.update(s for s in symbols[:last] if address < s[0] + (s[1] or UNSIZED))
    return sorted(chosen)


def padded(data, size):
    return data + bytes(-len(data) % size)


def stand_in(path, addresses):
    """The bytes of the stand-in of a module, for these offsets in it."""
    names, table = bytearray(b"\0"), bytearray(24)
    kept = needed(symbols_of(path), addresses)
    for value, size, kind, bind, name in sorted(kept, key=lambda s: s[3] != "LOCAL"):
        table += struct.pack("<IBBHQQ", len(names), BINDS[bind] << 4 | TYPES[kind], 0, 2, value, size)
        names += name.encode() + b"\0"
    locals_ = 1 + sum(symbol[3] == "LOCAL" for symbol in kept)
    end = max([value + size for value, size, *_ in kept] + list(addresses), default=0) + 4096 & -4096
    note = struct.pack("<III4s", 4, 20, 3, b"GNU\0") + build_id(path)
    titles = b"\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0.shstrtab\0"
    at, body, places = 64 + 2 * 56, b"", []
    for part in (note, bytes(table), bytes(names), titles):
        places.append((at + len(body), len(part)))
        body += padded(part, 8)

    def section(title, kind, flags, address, where, link=0, info=0, entry=0, align=8):
        return struct.pack("<IIQQQQIIQQ", titles.index(b"\0" + title + b"\0") + 1, kind, flags, address,
                           *where, link, info, align, entry)

    sections = bytes(64) + section(b".note.gnu.build-id", 7, 2, places[0][0], places[0], align=4) \
        + section(b".text", 8, 6, 0, (0, end)) \
        + section(b".symtab", 2, 0, 0, places[1], 4, locals_, 24) \
        + section(b".strtab", 3, 0, 0, places[2]) + section(b".shstrtab", 3, 0, 0, places[3])
    header = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, at + len(body), 0, 64, 56, 2, 64, 6, 5)
    first, size = places[0]
    loads = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, first + size, end, 4096) \
        + struct.pack("<IIQQQQQQ", 4, 4, first, first, first, size, size, 4)
    return header + loads + body + sections
