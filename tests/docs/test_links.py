#!/usr/bin/env python3
# suite: check
# limit: 60
"""Every link of a page, and every page and source file that the tree mentions, exists."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from tare import ROOT, Cases  # noqa: E402

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)]*))?\)")
PAGE = re.compile(r"\bdocs/[\w./-]*\w\.(?:md|json|png)\b")
SOURCE = re.compile(r"(?<![\w/.<])(?:src|adapters|tests|tools|corpus|examples|web|fuzz|bench|include)/"
                    r"[\w./-]*\w\.(?:c|h|cc|def|py|cjs|js|sh|map|md)\b")
TEXT = (".md", ".c", ".h", ".def", ".py", ".sh", ".cjs", ".js", ".mjs")


def tracked():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           check=True, stdout=subprocess.PIPE).stdout.decode().split("\n")
    return [name for name in names if name and (ROOT / name).is_file()]


def anchors(text):
    """The names by which the headings of a page can be linked to, as GitHub makes them."""
    made = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        made.add(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"))
    return made


def broken_links(name, text, root):
    """The links of one page that lead nowhere."""
    bad = []
    for target, anchor in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        page = (root / name).parent / target if target else root / name
        if not page.exists():
            bad.append(f"{name}: {target}")
        elif anchor and page.suffix == ".md" and anchor not in anchors(page.read_text()):
            bad.append(f"{name}: {target}#{anchor}")
    return bad


def pages(names):
    return [name for name in names if name.endswith(".md")]


def links():
    bad = []
    for name in pages(tracked()):
        bad += broken_links(name, (ROOT / name).read_text(), ROOT)
    assert not bad, "\n".join(bad)


def mentioned_pages():
    bad = []
    for name in tracked():
        if name.endswith(TEXT) or "." not in Path(name).name:
            text = (ROOT / name).read_bytes().decode(errors="replace")
            bad += [f"{name}: {page}" for page in PAGE.findall(text) if not (ROOT / page).exists()]
    assert not bad, "\n".join(bad)


def mentioned_sources():
    bad = []
    for name in pages(tracked()):
        if name != "CHANGELOG.md":
            found = SOURCE.findall((ROOT / name).read_text())
            bad += [f"{name}: {file}" for file in found if not (ROOT / file).exists()]
    assert not bad, "\n".join(bad)


def unknown_names(text, source):
    """The names of functions, constants and files in backticks that no source has."""
    names = set(re.findall(r"`([A-Za-z]\w*_\w+)(?:\(\))?`", text))
    return sorted(name for name in names if name not in source)


def mentioned_names():
    """The pages for contributors name functions of today."""
    source = "\n".join((ROOT / name).read_bytes().decode(errors="replace") for name in tracked()
                       if not name.startswith(("docs/", "tests/docs/")) and name.endswith(TEXT))
    bad = []
    for page in pages(tracked()):
        if re.match(r"docs/internals/(add-a-|states|design|rooms)", page):
            bad += [f"{page}: {name}" for name in unknown_names((ROOT / page).read_text(), source)]
    assert not bad, "\n".join(bad)


def every_verb_has_a_page():
    verbs = re.findall(r"^VERB\((\w+),", (ROOT / "src/cli/verbs.def").read_text(), re.M)
    index = (ROOT / "docs/README.md").read_text()
    assert verbs and not [verb for verb in verbs if f"`tare {verb}`" not in index], verbs


def an_unknown_name_is_found():
    assert unknown_names("`life_end()` and `no_such_name`", "void life_end(bool round)") == ["no_such_name"]


def a_broken_link_is_found():
    page = "docs/help.md"
    text = "[one](report.md) [two](no-such.md) [three](help.md#no-such) [four](https://example.org/x)"
    assert broken_links(page, text, ROOT) == ["docs/help.md: no-such.md", "docs/help.md: help.md#no-such"]


Cases().each({"links": links, "mentioned_pages": mentioned_pages, "mentioned_sources": mentioned_sources,
              "mentioned_names": mentioned_names,
              "every_verb_has_a_page": every_verb_has_a_page,
              "an_unknown_name_is_found": an_unknown_name_is_found,
              "a_broken_link_is_found": a_broken_link_is_found})
