#!/usr/bin/env python3
# measured: yes
# suite: check
# limit: 120
"""The code of a fix, and where it goes, are the same in every form, and nothing of it is cut off."""
import html
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "page")]
import paging  # noqa: E402
import tare  # noqa: E402
from tare import judged  # noqa: E402

LONG = "the_table_of_everything_that_was_ever_read_from_the_input_of_this_program"
SOURCE = f"""import tare
{LONG} = {{}}
for turn in range(160):
    {LONG}[turn] = bytearray(30000)
    tare.step()
"""
PLACE = "After program.py:4:"
runs = []


def run():
    """(its directory, the remedy as in the JSON); the program runs once."""
    if not runs:
        program = tare.fresh("program") / "program.py"
        program.parent.mkdir()
        program.write_text(SOURCE)
        runs.append(tare.traced([sys.executable, program]).directory)
    finding = tare.root_process(tare.report(runs[0]))["findings"][0]
    judged(finding["remedy"]["code"] and finding["remedy"]["code"].count(LONG) == 3, finding["remedy"])
    return runs[0], finding["remedy"]


def said(*words, status=tare.READABLE):
    done = tare.plain([tare.TARE, *words])
    assert done.status in status, (words, done.err)
    return done.out.decode()


def has_block(text, remedy, indent):
    """The lines of the code stand together, as they are, below where they go."""
    block = "\n".join(indent + line for line in remedy["code"].splitlines())
    assert "\n" + block + "\n" in text, (block, text)
    assert " ".join(text.split("\n" + block)[0].split()).endswith(PLACE), text


def structured():
    directory, remedy = run()
    assert (remedy["where"], remedy["line"], remedy["last_line"]) == ("after", 4, 4), remedy
    assert Path(remedy["file"]).name == "program.py", remedy
    answer = json.loads(said("check", "--json", directory))
    line, = [line for line in answer["lines"] if line.get("code")]
    assert {key: line[key] for key in ("code", "where", "file", "line", "last_line")} == \
        {key: remedy[key] for key in ("code", "where", "file", "line", "last_line")}, line


def text():
    directory, remedy = run()
    for words in (["report", directory], ["report", "-v", directory], ["explain", directory, "1"],
                  ["check", directory]):
        has_block(said(*words), remedy, 16 * " ")


def markdown():
    directory, remedy = run()
    out = said("export", "--format", "markdown", directory)
    block, = re.findall(r"<pre>\n(.*?)</pre>", out, re.S)
    assert html.unescape(block) == remedy["code"] + "\n", out
    assert PLACE in html.unescape(out), out


def junit():
    directory, remedy = run()
    suite, = xml.fromstring(said("export", "--format", "junit", directory))
    has_block("".join(suite.itertext()), remedy, "    ")


def sarif():
    directory, remedy = run()
    log = json.loads(said("export", "--format", "sarif", directory))
    has_block(log["runs"][0]["results"][0]["message"]["text"], remedy, "")


def page():
    directory, remedy = run()
    data = paging.data_of(paging.view(directory))
    shown = tare.root_process(data["report"])["findings"][0]["remedy"]
    assert shown == remedy, shown
    if not shutil.which("node"):
        raise tare.Skip("no node")
    script = (tare.ROOT / "web/verdict.js").read_text()
    ways = re.search(r"const WAYS.*?\n\}\n", script, re.S)[0]
    done = subprocess.run(["node", "-e", ways + "console.log(fixPlace(JSON.parse(process.argv[1])))",
                           json.dumps(remedy)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == PLACE, done.stdout


def pytest():
    """As a failed test prints it."""
    directory, remedy = run()
    source = (tare.ROOT / "adapters/python/tare/_pytest.py").read_text()
    part = source[source.index("def _place("):source.index("def _judge(")]
    names = {"os": __import__("os")}
    exec(part, names)  # pylint: disable=exec-used
    answer = json.loads(said("check", "--json", directory))
    has_block(names["_words"](answer, 160) + "\n", remedy, "      ")


tare.Cases().each({f.__name__: f for f in (structured, text, markdown, junit, sarif, page, pytest)})
