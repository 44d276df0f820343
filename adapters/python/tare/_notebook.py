"""Jupyter: `%load_ext tare`, then `%%tare` on a cell and `%tare_lines f` for a function.

    %%tare                     the verdict for the loop in the cell: its turns are the steps, or what
    for batch in loader:       tare.step() in it says
        train(batch)

    %tare_lines f(10)          calls f and shows what each line of it added, kept and released
    %tare_lines f              marks f; from the second time on, the table of its calls so far
"""
import ast
import html
import json
import linecache
import time

from . import _doctor, _probe, _shared

ORDINARY = ("This kernel does not run under tare, so that nothing can be measured: run `tare kernel "
            "install` once, then choose the kernel \"Python 3 (tare)\" for this notebook.")
STEP = "_tare_step_"
ROUNDS, PAUSE = 8, 0.25  # at most 2 s for the doctor
COLUMNS = "%6s %9s %10s %10s %10s %10s  %s"


def _show(text):
    """As text, and the same set in columns for a browser."""
    from IPython.display import display  # pylint: disable=import-outside-toplevel,import-error
    display({"text/plain": text, "text/html": "<pre>%s</pre>" % html.escape(text)}, raw=True)


# ---- the verdict for a cell ----

class _Turns(ast.NodeTransformer):
    """A step at the beginning of every turn of the cell's outermost loops."""

    def _loop(self, node):
        step = ast.parse(STEP + "()").body[0]
        for part in ast.walk(step):
            ast.copy_location(part, node.body[0])
        node.body.insert(0, step)
        return node  # loops inside it do not count

    visit_For = visit_While = visit_AsyncFor = _loop

    def _closed(self, node):
        return node  # the same for functions and classes

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _closed


def _run_cell(shell, cell):
    """The cell as a module of its own, with its steps marked."""
    turns = [] if "tare.step" in cell else [_Turns()]
    shell.user_ns[STEP] = lambda: _probe.tick(1)
    shell.ast_transformers.extend(turns)
    try:
        return shell.run_cell(cell, store_history=False)
    finally:
        for one in turns:
            shell.ast_transformers.remove(one)
        shell.user_ns.pop(STEP, None)


def _is_whole(words):
    """Is the report complete: no leak, or its holder is known?"""
    answer = json.loads(_doctor.ask("report", "--json", *words))
    findings = [finding for process in answer["processes"] for finding in process["findings"]]
    return not any(finding["kind"] == "retained" and not finding["note"] and not finding["held_by"]
                   for finding in findings)


def _verdict(since):
    """Holders are searched for between two steps. There are none now, so the doctor gets time."""
    own = _doctor.ledger()
    if own is None:
        return "tare has no record of this kernel so far: the cell allocated next to nothing."
    words = ["--since", str(since), own]
    lines = _shared("_lines")
    for _ in range(ROUNDS):
        if _is_whole(words):
            break
        lines.attend()
        time.sleep(PAUSE)
    return _doctor.ask("report", *words).rstrip("\n")


def _judge(shell, cell):
    since = time.monotonic_ns()
    result = _run_cell(shell, cell)
    if result.success:
        _show(_verdict(since))


# ---- lines ----

def _size(count):
    """As the program writes it."""
    if count == 0:
        return ""
    value, unit = float(abs(count)), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    digits = 0 if unit == "B" or value >= 100 else 1
    return "%s%.*f %s" % ("-" if count < 0 else "", digits, value, unit)


def _table(function):
    calls, file, first = function["calls"], function["file"], function["first_line"]
    rows = {row["line"]: row for row in function["lines"]}
    text = ["%s, %d call%s" % (function["function"], calls, "" if calls == 1 else "s"),
            COLUMNS % ("line", "hits", "added", "released", "kept", "resident", "source")]
    for line in range(first, max(rows, default=first) + 1):
        source = linecache.getline(file, line).rstrip()
        row = rows.get(line)
        if row is None:
            text.append((COLUMNS % (line, "", "", "", "", "", source)).rstrip())
        else:
            sizes = [_size(row[name]) for name in ("added", "released", "kept", "resident")]
            text.append((COLUMNS % (line, row["hits"], *sizes, source)).rstrip())
    return "\n".join(text)


def _tables(code, lines):
    """The tables of one function, of those of this process."""
    found = [function for function in _doctor.lines()
             if function["first_line"] == code.co_firstlineno
             and function["file"] in (code.co_filename, lines.path_of(code))]
    return "\n\n".join(map(_table, found))


def _measure(shell, text):
    lines = _shared("_lines")
    tree = ast.parse(text.strip(), mode="eval")
    is_call = isinstance(tree.body, ast.Call)
    target = ast.unparse(tree.body.func) if is_call else text
    function = eval(target, shell.user_global_ns, shell.user_ns)  # pylint: disable=eval-used
    code = lines.code_of(function)
    if code is None:
        _show("%s is not a Python function, so it has no lines." % target)
        return None
    known = lines.is_marked(code)
    if not lines.mark_code(code, getattr(function, "__qualname__", code.co_name)):
        _show("The lines of %s cannot be seen in this interpreter." % target)
        return None
    value = None
    if is_call:
        lines.clear()
        value = eval(text, shell.user_global_ns, shell.user_ns)  # pylint: disable=eval-used
    elif not known:
        _show("%s is measured from its next call on." % target)
        return None
    _show(_tables(code, lines) or "%s has not been called since it was marked." % target)
    return value


def load(shell):
    """The two magics; in an ordinary kernel they say what to do."""
    if not _probe.present:
        print(ORDINARY)

    def on_cell(line, cell):  # pylint: disable=unused-argument
        """The verdict for the loop in this cell."""
        if _probe.present:
            _judge(shell, cell)
        else:
            print(ORDINARY)
            shell.run_cell(cell, store_history=False)

    def on_line(line):
        """What each line of a function adds, keeps and releases."""
        if not _probe.present:
            print(ORDINARY)
            return None
        return _measure(shell, line)

    shell.register_magic_function(on_cell, "cell", "tare")
    shell.register_magic_function(on_line, "line", "tare_lines")
