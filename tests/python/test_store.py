#!/usr/bin/env python3
# suite: check
# limit: 120
"""The store line: from a path and a stack to the statement, on every interpreter that is here."""
import json
import re
import sys
from pathlib import Path

import frames
import python_case
import store_cases
import store_cases_more  # noqa: F401  (it adds to the table)
import tare

STORE = Path(tare.TARE).parent / "python" / "store"
STEP = re.compile(r"^(\S+)(?: ([^*<].*?))?(?: \*(\d+))?(?: <(\d+))?$")
UNNAMED = ("index", "key-itself")


def step_of(text, folder):
    """One step of a path, as store_cases writes it."""
    kind, rest, length, bound = STEP.match(text.strip()).groups()
    words = (rest or "").rsplit(" ", 1) if kind != "frame" else [rest]
    step = {"kind": kind, "length": int(length or 0), "bound": int(bound or 0)}
    if kind == "index":
        step.update(number=int(words[0]), type=words[-1])
    elif kind in UNNAMED or (kind == "native" and len(words) == 1):
        step.update(type=words[-1])
    else:
        step.update(name=words[0], type=words[1] if len(words) > 1 else "")
    if kind in ("module", "frame"):
        name = "train" if step["name"] == "__main__" or kind == "frame" else step["name"]
        path = folder / (name + ".py")
        step["file"] = str(path) if path.exists() else "/usr/lib/python3/dist-packages/other.py"
    return step


def container_of(path):
    """As the doctor chooses it: the outermost that is long enough, else the longest."""
    if not path:
        return -1
    long = [i for i, step in enumerate(path) if step["length"] >= 50]
    longest = max(range(len(path)), key=lambda i: path[i]["length"])
    return long[0] if long else longest if path[longest]["length"] else -1


def question_of(name):
    """(question, {file: lines to be found}, folder) of a case."""
    steps, files = store_cases.CASES[name]
    named = {("train" if key == "main" else key): text.lstrip("\n") for key, text in files.items()}
    folder = python_case.folder(**named)
    stack, wanted, measured = {}, [], []
    for module, text in named.items():
        for number, line in enumerate(text.splitlines(), 1):
            here = {"file": str(folder / (module + ".py")), "line": number}
            for depth in re.findall(r"#@(\d?)", line):
                stack[int(depth or 0)] = dict(here, function="")
            if "#!" in line:
                wanted.append((module, number))
            if "#+" in line:
                measured.append(here)
    path = [step_of(text, folder) for text in steps.split(" / ") if text]
    for step in path:
        if step["kind"] == "frame" and stack:
            outer = [s for s in stack.values() if "main" in files]
            step["line"] = outer[0]["line"] if len(outer) == 1 else stack[max(stack) - 1]["line"]
    question = {"path": path, "container": container_of(path), "measured": measured,
                "stack": [stack[depth] for depth in sorted(stack)], "files": [str(folder / "train.py")]}
    return question, wanted


def blocks(output):
    """Answers of an output in which some are empty."""
    found, current = [], {}
    for line in output.splitlines():
        if line:
            name, value = line.split(" ", 1)
            current[name] = value
        else:
            found.append(current)
            current = {}
    return found


def texts_of(questions):
    """What the doctor sends along: the Python files beside those that the questions name."""
    named = [Path(path) for question in questions for path in question.get("files", [])]
    folders = {path.parent for path in named if path.suffix == ".py"}
    return [{"file": str(path), "text": path.read_text()} for folder in folders
            for path in sorted(folder.rglob("*.py"))]


def ask(questions, interpreter=sys.executable, texts=None):
    """One answer for each question."""
    asked = {"questions": questions, "texts": texts_of(questions) if texts is None else texts}
    done = tare.plain([interpreter, "-I", "-S", STORE], input=json.dumps(asked).encode())
    assert done.status == 0, done.err.decode()
    answers = blocks(done.out.decode())
    assert len(answers) == len(questions), done.out.decode()
    return answers


def check_all(interpreter):
    names = list(store_cases.CASES)
    asked = [question_of(name) for name in names]
    answers = ask([question for question, _ in asked], interpreter)
    wrong = []
    for name, (_, wanted), answer in zip(names, asked, answers):
        got = (Path(answer["file"]).stem, int(answer["line"])) if answer else None
        if got not in (wanted or [None]):
            wrong.append(f"{name}: {answer} instead of {wanted}")
    assert not wrong, "\n".join(wrong)


def answer_to(name):
    return ask([question_of(name)[0]])[0]


def parts():
    """What a remedy is written with."""
    answer = answer_to("append")
    assert (answer["head"], answer["stored"], answer["tail"]) == ("losses.append(", "loss", ")"), answer
    assert answer["single"] == "1" and answer["operation"] == "append" and answer["loop"] == "1", answer
    answer = answer_to("dict-in-list")
    assert answer["stored"] == "loss" and answer["head"] == "log.append({'step': step, 'loss': ", answer
    answer = answer_to("tensor-plus-equals")
    assert answer["operation"] == "+=" and answer["head"] == "total += ", answer
    answer = answer_to("hidden-state")
    assert answer["operation"] == "variable" and answer["again"] == "1", answer
    answer = answer_to("dict-item")
    assert answer["operation"] == "item" and answer["key"] == "str(i)", answer
    answer = answer_to("lru-cache")
    assert answer["operation"] == "cache" and answer["container"] == "lru_cache(maxsize=None)", answer


CARRIED = """
import torch
hidden = torch.zeros(8)
for x in batches:
    out, hidden = model(x, hidden)
    step = step + 1
    loss = criterion(out, x)
    loss.backward(retain_graph=True)
"""
WRITTEN = {  # a line that stores, in a function with others: what the answer must have, or must not (None)
    "rows.append(x)": {"follow": "3 3 after", "change": "3 3 replace", "indexed": None},
    "if x: rows.append(x)": {"follow": None, "change": None},
    "rows.append(x); y = 1": {"follow": None},
    "rows.append(x)  # kept": {"follow": "3 3 after"},
    "rows.append([\n        x])": {"follow": "3 4 after"},
    "return rows.append(x)": {"follow": "3 3 before"},
    "rows.append(x)\n    y = rows[x]": {"indexed": "1"},
    "rows.append(x)\n    y = rows[-1]": {"indexed": None, "object": None},
    "rows.append(x)\n    y = rows[-1].item()": {"object": "1"},
    "rows.append(x)\n    for y in rows[2:]:\n        y.close()": {"object": "1"},
    "rows.append(x)\n    loss = sum(rows)\n    loss.backward()": {"graph": "1"},
    "rows.append(x)\n    a = torch.stack(rows).sum()\n    loss = a + 1\n    loss.backward()": {"graph": "1"},
    "rows.append(x)\n    print(sum(rows))\n    x.backward()": {"graph": None, "object": None},
    "x = None\n    rows.append(x)": {"none": "1"},
}


def kept_at(text, name, kind):
    """The answer about what a variable of a module holds."""
    path = python_case.folder(train=text.lstrip("\n")) / "train.py"
    return ask([{"path": [{"kind": "module", "name": "__main__", "type": "module", "file": str(path)},
                          {"kind": "attribute", "name": name, "type": kind, "length": 90 * (kind == "list")}],
                 "container": 1 if kind == "list" else -1, "files": [str(path)],
                 "stack": [{"file": str(path), "line": 3, "function": "f"}]}])[0]


def where_a_change_goes():
    for line, wanted in WRITTEN.items():
        answer = kept_at(f"rows = []\ndef f(x):\n    {line}\n", "rows", "list")
        assert {name: answer.get(name) for name in wanted} == wanted, (line, answer)
        assert (answer["type"], answer["length"]) == ("list", "90"), answer


def what_a_loop_carries():
    """Not the loss, which backward() needs; not a counter."""
    answer = kept_at(CARRIED, "loss", "torch.Tensor")
    assert (answer["carried"], answer["carry"]) == ("hidden", "4 4 after"), answer
    alone = CARRIED.replace("hidden = model(x, hidden)", "y = model(x, x)")
    assert "carried" not in kept_at(alone, "loss", "torch.Tensor")


def nonsense():
    """Whatever is asked, there is an answer or none, and the next question is still heard."""
    good, wanted = question_of("append")
    bad = [{}, {"path": 3}, {"path": [None, {"kind": 4}]}, {"path": [{"kind": "index"}], "stack": [{}]},
           {"path": [{"kind": "module", "file": "/dev/zero"}], "files": ["/dev/zero", "\0", "/"]},
           dict(good, container=99), dict(good, stack=[{"file": good["files"][0], "line": 10 ** 9}]), good]
    assert int(ask(bad)[-1]["line"]) == wanted[0][1]


def missing_sources():
    question, _ = question_of("append")
    moved = json.loads(json.dumps(question).replace("train.py", "gone.py"))
    assert ask([moved]) == [{}]


def opens_no_file():
    """What was not sent is not read, though it is there: a forged run may name any file."""
    question, _ = question_of("append")
    assert ask([question], texts=[]) == [{}]


tare.Cases().each({
    **{f"lines-{name}": lambda path=path: check_all(path) for name, path in frames.interpreters().items()
       if frames.minor(name) >= (3, 9)},
    "parts": parts, "nonsense": nonsense, "missing-sources": missing_sources,
    "opens-no-file": opens_no_file, "where-a-change-goes": where_a_change_goes,
    "what-a-loop-carries": what_a_loop_carries})
