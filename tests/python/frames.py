"""What the tests of Python frames share: the interpreters that are here, and the frames of a ledger.

The line tables are decoded here a second time, by code of its own, so that the doctor's and this do
not share their mistakes.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import ledger  # noqa: E402
import tare  # noqa: E402

PROGRAM = Path(__file__).with_name("frames_program.py")
KNOWN = [(3, minor) for minor in range(9, 15)]
DEPTH = 96  # frames the probe takes
ASK = ("import sys, platform; print(platform.python_implementation(), *sys.version_info[:3], "
       "getattr(sys, '_is_gil_enabled', lambda: True)(), sys.executable)")


def candidates():
    """Paths of what may be an interpreter, in PATH and among pyenv's versions."""
    for directory in os.environ.get("PATH", "").split(os.pathsep) + ["/usr/bin", "/usr/local/bin"]:
        for path in sorted(Path(directory or ".").glob("python3*")):
            if re.fullmatch(r"python3(\.\d+)?", path.name) and os.access(path, os.X_OK):
                yield path
    root = os.environ.get("PYENV_ROOT")
    if not root and shutil.which("pyenv"):
        root = subprocess.run(["pyenv", "root"], capture_output=True, text=True).stdout.strip()
    if root:
        yield from sorted(Path(root).glob("versions/*/bin/python3"))


def interpreters():
    """{name: path} of every CPython with a global lock, each executable once."""
    found, files = {}, set()
    for path in candidates():
        try:
            done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, timeout=20)
        except (OSError, subprocess.SubprocessError):
            continue
        words = done.stdout.split(maxsplit=5)
        if done.returncode != 0 or len(words) != 6 or words[0] != "CPython" or words[4] != "True":
            continue
        executable = os.path.realpath(words[5].strip())
        if executable in files:
            continue
        files.add(executable)
        name = ".".join(words[1:4])
        while name in found:
            name += "+"
        found[name] = Path(words[5].strip())
    return found


def minor(name):
    return tuple(int(word) for word in name.split(".")[:2])


# ---- line tables ----

def signed(byte):
    return byte - 256 if byte > 127 else byte


def deltas(table, line):
    """3.9: {start of a range of instructions: line}, in order."""
    starts, address = [(0, line)], 0
    for at in range(0, len(table), 2):
        address += table[at]
        line += signed(table[at + 1])
        starts.append((address, line))
    return starts


def ranges(table, line):
    starts, address = [], 0
    for at in range(0, len(table), 2):
        delta = signed(table[at + 1])
        line += 0 if delta == -128 else delta
        starts.append((address, 0 if delta == -128 else line))
        address += table[at]
    return starts


def locations(table, line):
    starts, address, at = [], 0, 0
    while at < len(table):
        end = at + 1
        while end < len(table) and not table[end] & 0x80:  # only the first byte has the top bit
            end += 1
        form = table[at] >> 3 & 15
        if form in (13, 14):
            value = shift = 0
            for byte in table[at + 1:end]:
                value |= (byte & 63) << shift
                shift += 6
                if not byte & 64:
                    break
            line += -(value >> 1) if value & 1 else value >> 1
        elif form in (11, 12):
            line += form - 10
        starts.append((address, 0 if form == 15 else line))
        address += 2 * ((table[at] & 7) + 1)
        at = end
    return starts


def line_of(code, table, offset):
    if offset == 0xffffffff or not table:
        return code.first_line
    version = code.version >> 16 & 0xff
    decode = locations if version >= 11 else ranges if version == 10 else deltas
    line = 0
    for start, here in decode(table, code.first_line):
        if start > offset:
            break
        line = here
    return line


# ---- the frames of a ledger ----

class Frames:
    """The stacks of a ledger in the program's own words: [[file as hex, name, line], …]."""

    def __init__(self, path):
        self.ledger = ledger.Ledger(path)
        self.stacks, self.sites = self.ledger.records("stacks"), self.ledger.records("sites")
        self.code = list(self.ledger.records("code"))[:self.ledger.entry("code").used]
        self.tables = bytes(self.ledger.records("line_tables") or b"")
        self.names = {}

    def bytes_of(self, string):
        at = self.ledger.entry("strings").offset + 8 * (string - 1)
        length = int.from_bytes(self.ledger.bytes[at:at + 4], "little")
        return self.ledger.bytes[at + 4:at + 4 + length]

    def frame(self, unit, offset):
        if (unit, offset) not in self.names:
            code = self.code[unit - 1]
            begin = 8 * (code.table - 1)
            table = self.tables[begin:begin + code.table_size] if code.table else b""
            self.names[unit, offset] = [self.bytes_of(code.file).hex(),
                                        self.bytes_of(code.name).decode(),
                                        line_of(code, table, offset)]
        return self.names[unit, offset]

    def of_site(self, site):
        """Innermost first; None for a native stack."""
        stack, frames = self.sites[site - 1].key >> 16, []
        while stack:
            record = self.stacks[stack - 1]
            if record.link & 0xff != 2:
                return None
            frames.append(self.frame(record.link >> 8 & 0xffffff, record.offset))
            stack = record.link >> 32
        return frames

    def by_address(self):
        return {address: self.of_site(block.site)
                for address, block in self.ledger.live().items() if block.site}


def compare(ledger_path, said_path):
    """How many stacks were compared; asserts that each is what the interpreter said."""
    said = {int(address): chain for address, chain in json.loads(Path(said_path).read_text()).items()}
    stacks = Frames(ledger_path).by_address()
    compared = 0
    for address, want in said.items():
        if address not in stacks:
            continue
        got = stacks[address]
        assert got == want[:DEPTH], f"the probe has\n{got}\nthe interpreter said\n{want[:DEPTH]}"
        compared += 1
    assert compared >= 0.99 * len(said), f"only {compared} of {len(said)} blocks are in the ledger"
    return compared


def check_report(run, said_path):
    """What the report shows of the largest sites is what the interpreter said, library frames at the
    front left out."""
    said = {tuple((name, line) for _, name, line in chain)
            for chain in json.loads(Path(said_path).read_text()).values()}
    source = PROGRAM.read_text().splitlines()
    shown = 0
    for site in tare.live_sites(tare.root_process(run.report())):
        first = site["allocated_at"][0] if site["allocated_at"] else {"file": None}
        line = source[first["line"] - 1] if first["file"] == str(PROGRAM) else ""
        if "bytes(size())" not in line or "exec(" in line:
            continue
        places = [(place["function"], place["line"]) for place in site["allocated_at"]]
        assert any(places == list(chain[:len(places)]) for chain in said), \
            f"a stack that never was: {places}"
        assert first["text"] == line.strip(), f"the text is {first['text']!r}"
        shown += 1
    assert shown > 0, "no stack of the program is in the report"


def check(path, seed, count):
    output = tare.fresh("said")
    run = tare.traced([path, PROGRAM, seed, count, output], ["--rate", "1"])
    assert run.status == 0, f"status {run.status}: {run.err.decode()[-2000:]}"
    ledgers = tare.ledgers(run.directory)
    root = f"{tare.root_process(run.report())['pid']}."
    mine = [p for p in ledgers if p.name.startswith(root)]
    others = [p for p in ledgers if not p.name.startswith(root)]
    compared = compare(mine[0], output) + compare(others[0], f"{output}.child")
    check_report(run, output)
    print(f"{compared} stacks compared")


def cases(count, seeds=(1,)):
    """{name: function} for every interpreter found; those of KNOWN that are not are skipped.

    A run has room for some thousands of different stacks: many need several runs."""
    found = interpreters()
    table = {f"frames-{name}": lambda path=path: [check(path, seed, count) for seed in seeds]
             for name, path in found.items() if minor(name) in KNOWN}

    def missing(version):
        raise tare.Skip(f"no CPython {version} here")

    have = {minor(name) for name in found}
    for version in KNOWN:
        if version not in have:
            word = ".".join(map(str, version))
            table[f"frames-{word}"] = lambda word=word: missing(word)
    return table
