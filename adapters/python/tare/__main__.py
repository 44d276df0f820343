"""`python -m tare run train.py`: the program `tare`, with this very interpreter for Python files."""
import os
import sys

from . import _doctor

PYTHON_VERBS = ("run", "lines")  # their command may be a Python file


def _with_python(words):
    """A command that is a Python file is run by this interpreter."""
    if not words or words[0] not in PYTHON_VERBS:
        return words
    for at, word in enumerate(words[1:], 1):
        if word == "--":
            return words[:at + 1] + _command(words[at + 1:])
        if word.endswith(".py") and os.path.isfile(word):
            return words[:at] + ["--"] + _command(words[at:])
    return words


def _command(words):
    is_file = bool(words) and words[0].endswith(".py") and os.path.isfile(words[0])
    return [sys.executable] + words if is_file else words


def main():
    """Becomes that program."""
    program = _doctor.program()
    if program is None:
        sys.exit("tare: the program tare was not found beside its package nor on the path")
    os.execv(program, [program] + _with_python(sys.argv[1:]))


main()
