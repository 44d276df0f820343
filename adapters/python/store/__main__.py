"""Find the statements that store what is held: `python -I -S store < questions > answers`.

The doctor runs this outside the program: in `tare run` with the interpreter of the program, which
certainly understands its source, otherwise with the reader's own. Standard input is a JSON
object, {"questions": [{"path", "container", "stack", "files", "measured"}], "texts": [{"file", "text"}]}:
only these texts are read, never a file. The answers come in the same order. Each is a list of lines with a
field's name, a blank and its value, and ends with an empty line; an answer without lines means: not found.
"""
import json
import sys

from find import find


def lines_of(answer):
    """An answer as lines; a value is always one line."""
    for name, value in answer.items():
        text = " ".join(str(value).split("\n"))
        if text:
            yield name + " " + text + "\n"


def main():
    """A question that cannot be understood gets an empty answer."""
    sys.setrecursionlimit(4000)
    asked = json.loads(sys.stdin.buffer.read())
    texts = {one["file"]: one["text"] for one in asked.get("texts", [])}
    for question in asked.get("questions", []):
        try:
            answer = find(question, texts)
        except Exception:  # pylint: disable=broad-except
            answer = {}
        text = "".join(lines_of(answer)) + "\n"
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


main()
