"""Statements that store something: what they store, and into what."""
import ast
import re

from places import assigned, is_unpacked, key_of
from source import FUNCTIONS, names_in, text_of

ADDING = {"append": 0, "appendleft": 0, "add": 0, "put": 0, "put_nowait": 0, "push": 0, "insert": 1,
          "extend": 0, "extendleft": 0, "update": 0, "setdefault": 1, "__setitem__": 1, "enqueue": 0,
          "append_child": 0, "put_object": 0}
KEYED = ("setdefault", "__setitem__")
BY_FUNCTION = {"heappush": 1, "insort": 1, "insort_left": 1, "insort_right": 1, "heappushpop": 1}
CACHES = ("cache", "lru_cache", "memoize", "cached", "cachedmethod")
REGISTERING = re.compile(r"^_*(register|add|connect|subscribe|attach|on|listen|observe|watch|bind|"
                         r"submit|schedule|call|append|push|put|record|track|log|store|save|remember|"
                         r"insert|enqueue|defer|track|write|hook|create_task|ensure_future)(_|$|[A-Z])")


class Operation:  # pylint: disable=too-many-instance-attributes
    """One way in which one statement stores one thing."""

    def __init__(self, kind, node, container, stored, key=None):
        self.kind, self.node = kind, node
        self.container, self.stored, self.key = container, stored, key
        self.scope, self.source = node.scope, node.scope.source
        self.line, self.last = node.lineno, getattr(node, "end_lineno", node.lineno)
        self.method = ""

    @property
    def repeats_itself(self):
        """Does the new value contain the old one?"""
        return self.stored is not None and text_of(self.container) in names_in(self.stored)


def _method_calls(node):
    callee = node.func
    if not isinstance(callee, ast.Attribute):
        return
    at = ADDING.get(callee.attr)
    if at is not None and len(node.args) > at:
        key = node.args[0] if callee.attr in KEYED else None
        one = Operation("call", node, callee.value, node.args[at], key)
        one.method = callee.attr
        yield one
    elif callee.attr in ADDING and node.keywords:
        one = Operation("call", node, callee.value, node.keywords[-1].value)
        one.method = callee.attr
        yield one
    if REGISTERING.match(callee.attr) and (at is None or callee.attr not in ("append", "extend")):
        values = node.args + [keyword.value for keyword in node.keywords]
        one = Operation("register", node, callee.value, values[-1] if values else None)
        one.method = callee.attr
        yield one


def _function_calls(node):
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in BY_FUNCTION and len(node.args) > 1:
        one = Operation("call", node, node.args[0], node.args[1])
        one.method = name
        yield one
    elif name == "setattr" and len(node.args) == 3:
        if isinstance(node.args[1], ast.Constant):
            target = ast.Attribute(value=node.args[0], attr=str(node.args[1].value), ctx=ast.Store())
            ast.copy_location(target, node)
            target.up, target.field, target.scope = node, "args", node.scope
            yield Operation("rebind", node, target, node.args[2])
        else:
            yield Operation("setattr", node, node.args[0], node.args[2], node.args[1])


def _assignments(node):
    for one, part in assigned(node):
        if isinstance(one, ast.Subscript):
            yield Operation("item", node, one.value, part, one.slice)
        if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript)):
            made = Operation("rebind", node, one, part)
            made.unpacked = is_unpacked(one, part)
            yield made


def operations_of(node):
    """What this node stores, if it is a statement or expression that stores."""
    if isinstance(node, ast.Call):
        yield from _method_calls(node)
        yield from _function_calls(node)
    elif isinstance(node, ast.AugAssign):
        yield Operation("augmented", node, node.target, node.value)
    else:
        yield from _assignments(node)


def all_operations(sources):
    """The operations of all files."""
    return [one for source in sources for node in ast.walk(source.tree)
            if hasattr(node, "scope") for one in operations_of(node)]


def grows(operation):
    """Can this be repeated and leave more each time?"""
    if operation.kind == "call":
        return not (operation.method in KEYED and key_of(operation.key) is not None)
    if operation.kind == "item":
        return key_of(operation.key) is None and not isinstance(operation.key, ast.Slice)
    if operation.kind == "augmented":
        return True
    if operation.kind == "rebind":
        return operation.repeats_itself
    return operation.kind == "setattr"


def decorator_of(node):
    """The decorator of a function that keeps its results; None: there is none."""
    for decorator in node.decorator_list:
        callee = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = text_of(callee)
        if node.scope.source.from_functools.get(name, name).split(".")[-1] in CACHES:
            return decorator
    return None


def wrapped_by_cache(operation):
    """Is it `f = lru_cache(maxsize=None)(g)`?"""
    value = operation.stored
    while isinstance(value, ast.Call):
        if text_of(value.func).split(".")[-1] in CACHES:
            return True
        value = value.func
    return False


def bound_names(statement):
    """The names that a statement gives a value to, dotted ones too."""
    found = set()
    for one in operations_of(statement):
        if one.kind in ("rebind", "augmented"):
            found.add(text_of(one.container))
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        found.update(n.id for n in ast.walk(statement.target) if isinstance(n, ast.Name))
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        found.update(n.id for item in statement.items if item.optional_vars
                     for n in ast.walk(item.optional_vars) if isinstance(n, ast.Name))
    return found


def is_function(node):
    """Does it make a function of its own?"""
    return isinstance(node, FUNCTIONS)
