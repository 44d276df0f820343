"""Every verb and every format, applied to one run: their output as text."""
import base64
import gzip
import re
import zlib
from pathlib import Path

from tare import BAD_LEDGER, ROOT, TARE, fresh, plain


def words_of(macro, path):
    return re.findall(rf"^{macro}\((\w+)", (ROOT / path).read_text(), re.M)


def commands(run):
    """(verb, its words) for every verb; a verb that is missing here is a failure."""
    out = fresh("out")
    known = {
        "report": [["report", run], ["report", "--json", run]],
        "view": [["view", "--open", "no", "-o", f"{out}.html", run]],
        "live": [["live", "--once", run]],
        "top": [["top"]],
        "explain": [["explain", run], ["explain", run, "1"]],
        "diff": [["diff", run, run]],
        "check": [["check", run]],
        "export": [["export", "--format", name, run]
                   for name in words_of("FORMAT", "src/report/export/formats.def")],
        "lines": [["lines", run]],
        "strip": [["strip", "-o", f"{out}.strip", run]],
        "info": [["info"]],
        "help": [["help"]],
        "kernel": [["kernel", "--help"]],  # it reads no run
        "run": [["run", "--help"]],        # it executes what its own command line names
    }
    for verb in words_of("VERB", "src/cli/verbs.def"):
        assert verb in known, f"say here how `tare {verb}` reads a run"
        yield from known[verb]


def unpacked(done, out):
    """Everything that a command printed and wrote, as text, decompressed."""
    parts = [done.out, done.err]
    for path in out:
        parts += [p.read_bytes() for p in ([path] if path.is_file() else path.rglob("*")) if p.is_file()]
    for part in list(parts):
        if part[:2] == b"\x1f\x8b":
            parts.append(gzip.decompress(part))
        for packed in re.findall(rb"[A-Za-z0-9+/]{200,}={0,2}", part):
            try:
                parts.append(zlib.decompress(base64.b64decode(packed), 47))
            except (ValueError, zlib.error):
                pass
    return b"\n".join(parts).decode(errors="replace")


def all_verbs(run, **keywords):
    """[(words, output)] of every verb."""
    said = []
    for words in commands(run):
        outputs = [Path(str(word)) for before, word in zip(words, words[1:]) if before == "-o"]
        done = plain([TARE, *words], timeout=60, **keywords)
        assert done.status >= 0 and done.status not in (BAD_LEDGER, 70), (words, done.status, done.err)
        if b"built without the page" in done.err:
            outputs = []
        said.append((words, unpacked(done, outputs)))
    return said
