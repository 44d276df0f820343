#!/usr/bin/env python3
# suite: check
# limit: 60
"""Every verb has a page in docs/, linked from docs/README.md, that names each of its options."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from tare import ROOT, TARE, Cases  # noqa: E402

VERBS = re.findall(r"^VERB\((\w+),", (ROOT / "src/cli/verbs.def").read_text(), re.M)


def options(verb):
    text = subprocess.run([TARE, "help", verb], stdout=subprocess.PIPE, check=True).stdout.decode()
    return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", text, re.M)) - {"--help"}


def every_verb_has_a_page():
    index = (ROOT / "docs/README.md").read_text()
    assert len(VERBS) > 10, VERBS
    for verb in VERBS:
        page = ROOT / "docs" / f"{verb}.md"
        assert page.is_file() and f"({verb}.md)" in index, verb
        assert f"`tare {verb}" in page.read_text().splitlines()[0], page


def every_option_is_named():
    missing = [(verb, option) for verb in VERBS for option in sorted(options(verb))
               if not re.search(re.escape(option) + r"\b", (ROOT / "docs" / f"{verb}.md").read_text())]
    assert not missing, missing


Cases().each({"every-verb-has-a-page": every_verb_has_a_page, "every-option-is-named": every_option_is_named})
