"""Find the statements that store what is held: `python -I -S store < questions > answers`.

The doctor runs this with the interpreter of the program, outside the program, because only that
interpreter is sure to read its source. Standard input is a JSON object, {"questions": [{"path",
"container", "stack", "files", "measured"}]}; the answers, in the same order, are lines of a field's
name, a blank and its value, ended by an empty line each; an answer without lines means: not found.
"""
import json
import sys

from find import find


def lines_of(answer):
    """An answer as lines; a value is one line whatever it holds."""
    for name, value in answer.items():
        text = " ".join(str(value).split("\n"))
        if text:
            yield name + " " + text + "\n"


def main():
    """What cannot be understood is not answered."""
    sys.setrecursionlimit(4000)
    questions = json.loads(sys.stdin.buffer.read()).get("questions", [])
    for question in questions:
        try:
            answer = find(question)
        except Exception:  # pylint: disable=broad-except
            answer = {}
        text = "".join(lines_of(answer)) + "\n"
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


main()
