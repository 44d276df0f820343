#!/usr/bin/env python3
"""docs/internals/ledger.md from docs/internals/ledger.in.md and the tables the code is made of.

Fields and their comments are read from src/ledger/layout*.h and mailbox.h, lists from the
.def files.
Offsets and sizes come from the compiler, where each section lies from a ledger that the real writer
makes; nothing is computed here. A line "@@ NAME argument" of the source page is replaced.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEDGER = ROOT / "src/ledger"
HEADERS = ("layout.h", "layout_run.h", "layout_scripts.h", "mailbox.h")
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.M | re.S)
ENUM = re.compile(r"^enum (\w+) \{(.*?)\}", re.M | re.S)
FIELD = re.compile(r"^\s*(?P<type>(?:struct )?\w+) (?P<names>[^;/]+);[ \t]*(?:/\*(?P<says>.*?)\*/)?",
                   re.M | re.S)
ENTRY = re.compile(r"^([A-Z]+)\((.*)\)$", re.M)


def words(comment):
    return re.sub(r"\s+", " ", comment or "").strip()


def structs():
    """name -> [(field, declaration, what it says)], in order."""
    found = {}
    for header in HEADERS:
        for name, body in STRUCT.findall((LEDGER / header).read_text()):
            found[name] = [(re.match(r"\w+", n).group(), f"{m['type']} {n}", words(m["says"]))
                           for m in FIELD.finditer(body)
                           for n in re.split(r",\s*", m["names"].strip())]
    return found


def entries(file):
    """The lines of a .def file, as lists of arguments with the quotes off."""
    text = re.sub(r"/\*.*?\*/", "", (LEDGER / file).read_text(), flags=re.S)
    split = re.compile(r',\s*(?=(?:[^"]*"[^"]*")*[^"]*$)')
    return [[a.strip().strip('"') for a in split.split(body)] for _, body in ENTRY.findall(text)]


PROGRAM = """
#include <stddef.h>
#include <stdio.h>
#include "ledger/layout_scripts.h"
#include "ledger/mailbox.h"
#include "ledger/writer.h"
static void show(enum ledger_role role, const char *directory, const char *name)
{
    const struct ledger_identity identity = {.role = role};
    struct ledger ledger;
    struct why why;
    if (ledger_create(&ledger, directory, name, &identity, &why) != 0) {
        printf("%%s\\n", why.text);
        return;
    }
    printf("F %%d %%llu\\n", role, (unsigned long long)ledger.size);
    for (unsigned n = 0; n < LEDGER_SECTIONS_MAX; n++) {
        const struct section_entry *e = ledger_entry(&ledger, (enum section)n);
        if (e->capacity > 0)
            printf("S %%d %%u %%u %%llu %%llu\\n", role, n, e->record_size,
                   (unsigned long long)e->offset, (unsigned long long)e->capacity);
    }
}
int main(int argc, char **argv)
{
    (void)argc;
%s
    show(ROLE_PROCESS, argv[1], "process");
    show(ROLE_RUN, argv[1], "run");
    return 0;
}
"""


def measure(all_structs):
    """What the compiler and the writer say: sizes, fields, sections, files."""
    lines = []
    for name, fields in all_structs.items():
        lines.append(f'    printf("T {name} %zu\\n", sizeof(struct {name}));')
        lines += [f'    printf("O {name} {f} %zu %zu\\n", offsetof(struct {name}, {f}), '
                  f"sizeof(((struct {name} *)0)->{f}));" for f, _, _ in fields]
    with tempfile.TemporaryDirectory() as scratch:
        source, program = Path(scratch, "measure.c"), Path(scratch, "measure")
        source.write_text(PROGRAM % "\n".join(lines))
        subprocess.run([os.environ.get("CC") or "cc", "-std=c11", "-D_GNU_SOURCE", f"-I{ROOT}/src",
                        "-o", program, source, LEDGER / "writer.c", LEDGER / "pieces.c",
                        ROOT / "src/base/err.c"],
                       check=True)
        output = subprocess.run([program, scratch], check=True, capture_output=True,
                                text=True).stdout
    return [line.split() for line in output.splitlines()]


class Page:
    def __init__(self):
        self.structs = structs()
        facts = measure(self.structs)
        self.size = {f[1]: int(f[2]) for f in facts if f[0] == "T"}
        self.at = {(f[1], f[2]): (int(f[3]), int(f[4])) for f in facts if f[0] == "O"}
        self.placed = [tuple(map(int, f[1:])) for f in facts if f[0] == "S"]
        self.length = {int(f[1]): int(f[2]) for f in facts if f[0] == "F"}

    def record(self, name):
        rows = ["| byte | size | field | |", "|---:|---:|---|---|"]
        end = 0
        for field, declaration, says in self.structs[name]:
            offset, size = self.at[name, field]
            if offset != end:
                raise SystemExit(f"ledger_doc: struct {name}: nothing is said of byte {end}")
            end = offset + size
            rows.append(f"| {offset} | {size} | `{declaration}` | {says.replace('|', chr(92) + '|')} |")
        if end != self.size[name]:
            raise SystemExit(f"ledger_doc: struct {name}: nothing is said of byte {end}")
        return [f"`struct {name}`, {self.size[name]} bytes:", ""] + rows

    def records(self, _):
        out = []
        for number, name, record, shape, capacity, start, says in entries("sections.def"):
            out += [f"### {number}. {name}", "", f"{says[0].upper()}{says[1:]}. Shape {shape}, "
                    f"at most {capacity} records, {start} to begin with.", ""]
            out += self.record(record.split()[1]) + [""]
        return out[:-1]

    def sections(self, role):
        names = {int(e[0]): e[1] for e in entries("sections.def")}
        wanted = {"process": 1, "run": 2}[role]
        rows = ["| number | section | begins at byte | record | records at most |",
                "|---:|---|---:|---:|---:|"]
        rows += [f"| {n} | {names[n]} | {offset} | {size} | {capacity} |"
                 for r, n, size, offset, capacity in self.placed if r == wanted]
        return rows + ["", f"The file is {self.length[wanted]} bytes long."]

    def list(self, file):
        return ["| number | name | |", "|---:|---|---|"] + [
            f"| {e[0]} | `{e[1]}` | {e[-1]} |" for e in entries(file)]

    def requests(self, file):
        return ["| number | name | argument 0 | answer 0 | what it asks |", "|---:|---|---|---|---|"] + [
            f"| {e[0]} | `{e[1]}` | {e[2]} | {e[3]} | {e[4]} |" for e in entries(file)]

    def enum(self, name):
        for header in HEADERS:
            for found, body in ENUM.findall((LEDGER / header).read_text()):
                if found == name:
                    return self.enum_rows(body)
        raise SystemExit(f"ledger_doc: no enum {name}")

    @staticmethod
    def enum_rows(body):
        rows, number = ["| value | name | |", "|---:|---|---|"], -1
        item = re.compile(r"(\w+)(?:\s*=\s*(\d+))?\s*(?:,|$)?[ \t]*(?:/\*(.*?)\*/)?", re.S)
        for name, value, says in item.findall(body.strip()):
            number = int(value) if value else number + 1
            rows.append(f"| {number} | `{name}` | {words(says).replace('|', chr(92) + '|')} |")
        return rows

    def expand(self, line):
        directive = line[2:].split()
        return getattr(self, directive[0])(directive[1] if len(directive) > 1 else None)


def main():
    page = Page()
    for line in (ROOT / "docs/internals/ledger.in.md").read_text().splitlines():
        print("\n".join(page.expand(line)) if line.startswith("@@") else line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
