"""Where a changed line would go, and what must hold for it to run as written.

The doctor chooses the change by measurement; this says whether the source lets it be pasted. A place is
named only where whole lines can be replaced or added.
"""
import ast

from source import FUNCTIONS, LOOPS, loops_around, statement_of, text_of
from uses import Uses

SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
INSIDE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LEAVING = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Continue, ast.Break)
JOINING = ("cat", "concat", "concatenate", "hstack", "vstack", "append")
EMPTY = {ast.List: "[]", ast.Dict: "{}", ast.Set: "set()"}


def lines_of(statement):
    """(first, last) of a statement that has its lines for itself; None: it shares one."""
    source, last = statement.scope.source, getattr(statement, "end_lineno", None)
    if last is None or last > len(source.lines):
        return None
    before = source.lines[statement.lineno - 1].encode()[:statement.col_offset]
    behind = source.lines[last - 1].encode()[statement.end_col_offset:].strip()
    return None if before.strip() or (behind and not behind.startswith(b"#")) else (statement.lineno, last)


def is_inside(node):
    """Is it in a lambda or a comprehension, whose variables the statement does not have?"""
    while not isinstance(node, (ast.stmt, ast.Module)):
        node = node.up
        if isinstance(node, INSIDE):
            return True
    return False


def has_no_effect(node):
    """Can the expression be written a second time? setdefault() with an empty container can."""
    for one in ast.walk(node):
        if isinstance(one, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            return False
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and \
                one.func.attr == "setdefault" and len(one.args) == 2:
            continue
        if isinstance(one, ast.Call):
            return False
    return True


def changed_lines(operation):
    """The statement whose text can be replaced."""
    statement = statement_of(operation.node)
    return lines_of(statement) if isinstance(statement, SIMPLE) else None


def following(operation):
    """(first, last, where): a line can be added there that names the container."""
    statement = statement_of(operation.node)
    if not isinstance(statement, SIMPLE) or is_inside(operation.node) or \
            not has_no_effect(operation.container):
        return None
    lines = lines_of(statement)
    targets = [text_of(one) for one in getattr(statement, "targets", [])]
    if lines is None or operation.kind == "item" and text_of(operation.container) in targets:
        return None
    return lines + ("before" if isinstance(statement, ast.Return) else "after",)


def block_around(statement):
    """The list of statements that a statement is in, if it is the body of a function, a loop or the file."""
    above = statement.up
    if not isinstance(above, FUNCTIONS + LOOPS + (ast.Module,)) or statement.field != "body":
        return None
    return above.body


def finish(node, name):
    """(first, last, where) of the end of the block around a statement, where what it has made can be let go:
    something is done in between, nothing leaves the block earlier, and the end does not need `name`."""
    statement = statement_of(node)
    block = block_around(statement)
    rest = block[block.index(statement) + 1:] if block else []
    returns = bool(rest) and isinstance(rest[-1], ast.Return)
    between = rest[:-1] if returns else rest
    leaves = [one for part in between for one in ast.walk(part)
              if isinstance(one, LEAVING)]
    used = returns and name in {text_of(one) for one in ast.walk(rest[-1])
                                if isinstance(one, (ast.Name, ast.Attribute)) and
                                not isinstance(getattr(one, "up", None), ast.Attribute)}
    if not between or leaves or used or lines_of(rest[-1]) is None:
        return None
    return lines_of(rest[-1]) + ("before" if returns else "after",)


def default_change(operation, scope):
    """The header of a function with None in place of a container that all calls share."""
    node, name = scope.node, text_of(operation.container)
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or name not in scope.defaults or \
            ast.get_docstring(node) is not None:
        return {}
    args, source = node.args, scope.source
    placed = getattr(args, "posonlyargs", []) + args.args
    given = dict(zip([one.arg for one in placed[len(placed) - len(args.defaults):]], args.defaults))
    given.update({one.arg: value for one, value in zip(args.kwonlyargs, args.kw_defaults) if value})
    value, line = given[name], source.lines[node.lineno - 1].encode()
    initial = "set()" if text_of(value) == "set()" else EMPTY.get(type(value))
    if initial is None or getattr(value, "elts", getattr(value, "keys", None)) or \
            getattr(value, "end_lineno", 0) != node.lineno or node.body[0].lineno == node.lineno or \
            not line.split(b"#")[0].rstrip().endswith(b":"):
        return {}
    header = (line[:value.col_offset] + b"None" + line[value.end_col_offset:]).decode().strip()
    return {"default": f"{node.lineno} {node.lineno} replace", "header": header, "initial": initial}


def limited_decorator(decorator, scope):
    """A decorator of functools with a limit, in the names that the file has; {}: another one."""
    callee = decorator.func if isinstance(decorator, ast.Call) else decorator
    name, source = text_of(callee), scope.source
    imported = source.from_functools.get(name)
    module, _, short = name.rpartition(".")
    if imported is None and not (module in source.functools and short in ("cache", "lru_cache")):
        return {}
    above = getattr(decorator, "up", None)
    if not isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {}
    first, last = decorator.lineno, getattr(decorator, "end_lineno", decorator.lineno)
    other = [key for key, value in source.from_functools.items() if value == "lru_cache"]
    found = {"decorator": f"{first} {last} replace"}
    if module:
        found["limited"] = f"@{module}.lru_cache"
    elif other:
        found["limited"] = f"@{other[0]}"
    elif above.decorator_list[0] is decorator:
        found.update(limited="@lru_cache", imports="from functools import lru_cache")
    return found if "limited" in found else {}


def carried(operation, operations):
    """The only variable that the loop hands to its next turn and that the stored value is computed from."""
    scope, inner = operation.scope, [one for one in operations if one.kind == "rebind" and
                                     one.scope is operation.scope and one.stored is not None]
    reach, size = {text_of(operation.container)}, 0
    while size != len(reach):
        size = len(reach)
        for one in inner:
            if text_of(one.container) in reach:
                reach.update(text_of(part) for part in ast.walk(one.stored)
                             if isinstance(part, (ast.Name, ast.Attribute)))
    loops = [node for node in ast.walk(scope.node) if isinstance(node, (ast.For, ast.AsyncFor, ast.While))]
    inside = {id(part) for loop in loops for part in ast.walk(loop)}
    found = [one for one in inner if one.repeats_itself and id(one.node) in inside and
             text_of(one.container) in reach and not isinstance(one.stored, ast.BinOp)]
    place = following(found[0]) if len({id(one.container) for one in found}) == 1 else None
    return {"carried": text_of(found[0].container), "carry": "%d %d %s" % place} if place else {}


def assigned_first(statement):
    """The first name that a statement gives to the result of a call."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return ""
    target = statement.targets[0]
    target = target.elts[0] if isinstance(target, (ast.Tuple, ast.List)) and target.elts else target
    return text_of(target) if isinstance(target, (ast.Name, ast.Attribute)) else ""


def opener(statement):
    """The statement, executed as often, whose call has made the object that this one calls: fig, axes =
    plt.subplots() for axes.plot(x). The statement itself, if there is none or several."""
    call = getattr(statement, "value", None)
    base = call.func if isinstance(call, ast.Call) else None
    while isinstance(base, (ast.Attribute, ast.Subscript)):
        base = base.value
    if not isinstance(base, ast.Name):
        return statement
    around = loops_around(statement)
    made = [one for one in ast.walk(statement.scope.node)
            if isinstance(one, ast.Assign) and one.scope is statement.scope and
            isinstance(one.value, ast.Call) and
            any(isinstance(part, ast.Name) and part.id == base.id
                for target in one.targets for part in ast.walk(target))]
    often = len(made) == 1 and loops_around(made[0]) == around and (around or statement.scope.is_function)
    return made[0] if often and made[0].lineno < statement.lineno else statement


def called(statement):
    """What a library's change is written with: the variable that the result of a call is given to, the module
    that is called, and where the variable can be let go."""
    call = getattr(statement, "value", None)
    if not isinstance(call, ast.Call):
        return {}
    name, place = assigned_first(statement), None
    found = {"assigned": name}
    if isinstance(call.func, ast.Attribute):
        found["called"] = call.func.attr
        found["module"] = text_of(call.func.value) if has_no_effect(call.func.value) else ""
    place = finish(statement, name) if name else None
    if place:
        found["finish"] = "%d %d %s" % place
    return {key: value for key, value in found.items() if value}


def change_of(operation, written, inner, operations, sources):
    """What the doctor fills its changes in with; absent: the source does not allow it."""
    found, uses = {}, Uses(operation.container, sources)
    lines, place = changed_lines(written), following(operation)
    if lines and not is_inside(written.node):
        found["change"] = "%d %d replace" % lines
    if place:
        found["follow"] = "%d %d %s" % place
    found.update({name: 1 for name, is_so in (
        ("object", uses.as_objects), ("graph", uses.for_gradients), ("indexed", uses.by_index),
        ("removed", uses.removed), ("joins", joins(operation)),
        ("none", may_be_none(written, inner, operations)))
        if is_so})
    if isinstance(inner, (ast.Name, ast.Attribute)):
        place = finish(operation.node, text_of(inner))
        if place:
            found["finish"] = "%d %d %s" % place
    if operation.scope.is_function:
        found.update(default_change(operation, operation.scope))
    if operation.kind == "rebind" and not operation.repeats_itself:
        found.update(carried(operation, operations))
    return found


def joins(operation):
    """Is the new value the old one and more? cat([old, new]), old + new"""
    value = operation.stored
    if operation.kind != "rebind" or value is None:
        return False
    if isinstance(value, ast.Call):
        return text_of(value.func).split(".")[-1] in JOINING
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and \
        any(isinstance(side, (ast.List, ast.Tuple, ast.JoinedStr)) for side in (value.left, value.right))


def may_be_none(written, inner, operations):
    """Does the source give the stored variable None somewhere?"""
    if not isinstance(inner, (ast.Name, ast.Attribute)):
        return False
    if isinstance(inner, ast.Attribute) and inner.attr == "grad":
        return True
    return any(one.kind == "rebind" and one.scope is written.scope and
               text_of(one.container) == text_of(inner) and isinstance(one.stored, ast.Constant) and
               one.stored.value is None for one in operations)
