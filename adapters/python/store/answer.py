"""Describe the statement that was found, in the names of the source."""
import ast

from change import change_of
from path import short
from source import loops_around, statement_of, text_of

HERE = "_the_stored_value_"
PRIMARY = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Dict, ast.Tuple)
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)


def answer_line(frame, operation, text="", **more):
    """A line whose statement is a call, or a decorator; `more`: what its change is written with."""
    return {"file": frame["file"], "line": frame["line"], "function": frame.get("function", ""),
            "operation": operation, "container": text, **more}


def inner_part(stored, steps):
    """The part of the stored value that the path leads to, such as the loss in (step, loss), and the steps
    after it."""
    for at, step in enumerate(steps):
        part = None
        if step.kind == "index" and isinstance(stored, (ast.Tuple, ast.List)):
            part = stored.elts[step.number] if step.number < len(stored.elts) else None
        elif step.kind == "key" and isinstance(stored, ast.Dict):
            named = [value for key, value in zip(stored.keys, stored.values)
                     if key is not None and text_of(key) == step.name]
            part = named[-1] if named else None
        elif step.kind in ("attribute", "key") and isinstance(stored, ast.Call):
            named = [word.value for word in stored.keywords if word.arg == step.name.strip("'\"")]
            part = named[-1] if named else None
        if part is None or isinstance(part, ast.Starred):
            return stored, steps[at:]
        stored = part
    return stored, []


def stored_part(operation, steps, operations):
    """The part that is kept, the statement that it is written in, whether it is all of it that is
    known, and the steps that are left: where a variable is stored that one statement has put together, that
    one."""
    inner, rest = inner_part(operation.stored, steps)
    made = [one for one in operations if one.kind == "rebind" and one.scope is operation.scope and
            text_of(one.container) == text_of(inner)] if isinstance(inner, ast.Name) else []
    if rest and rest[0].kind in ("index", "key") and len(made) == 1 and made[0].stored is not None:
        deeper, left = inner_part(made[0].stored, rest)
        if len(left) < len(rest):
            return deeper, made[0], True, left
    return inner, operation, not rest or rest[0].kind not in ("index", "key"), rest


def value_type(operation, steps, left, into):
    """The measured type of the stored part, with its module; "": not known."""
    if operation.kind == "augmented" or operation.kind == "rebind":
        kind = into.type if into is not None else ""
        return kind if operation.kind == "rebind" or "Tensor" in kind else ""
    if operation.method in ("extend", "extendleft", "update") or len(left) >= len(steps):
        return ""
    return steps[len(steps) - 1 - len(left)].type


def around(operation, inner):
    """The statement's text before and after a part of it; ("", "") where it has many lines."""
    statement = statement_of(operation.node)
    whole = statement if isinstance(statement, SIMPLE) else operation.node
    above, field = inner.up, inner.field
    held = getattr(above, field)
    name = ast.copy_location(ast.Name(id=HERE, ctx=ast.Load()), inner)
    changed = [name if one is inner else one for one in held] if isinstance(held, list) else name
    setattr(above, field, changed)
    head, _, tail = text_of(whole).partition(HERE)
    setattr(above, field, held)
    return (head, tail) if len(head) + len(tail) < 160 else ("", "")


def is_single(inner, operations, source):
    """Is it a tensor of one element? backward() without a gradient needs one."""
    text = text_of(inner)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and \
                node.func.attr in ("backward", "item") and not node.args and \
                text_of(node.func.value) == text:
            return True
    made = [one for one in operations if one.kind == "rebind" and one.source is source and
            text_of(one.container) == text]
    return any(isinstance(one.stored, ast.Call) and
               any(word in text_of(one.stored.func).lower() for word in ("loss", "criterion", "mean"))
               for one in made)


def has_slice(node):
    """x[a:b], x[:, 3]"""
    if not isinstance(node, ast.Subscript):
        return False
    return any(isinstance(one, ast.Slice) for one in ast.walk(node.slice))


def operation_name(operation):
    """append, …; item, attribute, variable, +=, register"""
    if operation.kind == "call":
        return operation.method
    if operation.kind == "augmented":
        return "+="
    if operation.kind == "rebind":
        return "attribute" if isinstance(operation.container, ast.Attribute) else \
            "item" if isinstance(operation.container, ast.Subscript) else "variable"
    return {"item": "item", "setattr": "attribute"}.get(operation.kind, "register")


def answer_for(operation, steps, operations, into=None):
    """`steps`: those after the one that the statement stores into; `into`: that one, if it is known."""
    inner, written, known, left = operation.stored, operation, True, steps[1:]
    if inner is not None and operation.kind in ("call", "item", "register"):
        inner, written, known, left = stored_part(operation, steps[1:], operations)
    found = {"file": operation.source.path, "line": operation.line,
             "function": operation.scope.qualname,
             "operation": operation_name(operation), "method": operation.method,
             "container": text_of(operation.container),
             "loop": 1 if loops_around(operation.node) else 0,
             "again": 1 if operation.kind == "rebind" and operation.repeats_itself else 0}
    if into is not None:
        shared = into.type.startswith("multiprocessing")  # its queue is not queue.Queue
        found["type"], found["length"] = into.type if shared else short(into.type), into.length
    found["value"] = value_type(operation, steps, left, into)
    found["imported"] = " " + " ".join(sorted(operation.source.modules)) + " "
    sources = list({id(one.source): one.source for one in operations}.values())
    found.update(change_of(operation, written, inner, operations, sources))
    if operation.key is not None:
        found["key"] = text_of(operation.key)
    if inner is not None:
        text = text_of(inner)
        found["stored"] = text if isinstance(inner, PRIMARY) else "(" + text + ")"
        found["head"], found["tail"] = around(written, inner) if known else ("", "")
        found["single"] = 1 if is_single(inner, operations, operation.source) else 0
        found["slice"] = 1 if has_slice(inner) else 0
        found["literal"] = short(type(inner).__name__) if isinstance(inner, ast.Constant) else ""
    return found
