"""What may be the same object: places (variables, attributes, elements) and the copies between them.

A place is a tuple:
    ("var", file, function or "", name)   a variable of a module or function
    ("attr", class or None, name)         an attribute of the instances of a class, or of the class
    ("item", place, key or None)          an element; None: any
    ("ret", file, function)               what a function returns
Order and conditions are ignored: a copy made anywhere connects two places. So the result is what *may* be
meant, and each copy in between counts against it.
"""
import ast

from source import text_of

COPIES_MAX = 6  # from one place to another
GETTERS = ("get", "setdefault", "pop", "popleft", "popitem")
PASSING = ("list", "iter", "reversed", "sorted", "tqdm", "values")


def key_of(node):
    """A constant key as it is written; None: it may be any."""
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.Index):  # before 3.9
        return key_of(node.value)
    return None


def choices(value):
    """The expressions of which one is the value."""
    if isinstance(value, ast.IfExp):
        return choices(value.body) + choices(value.orelse)
    if isinstance(value, ast.BoolOp):
        return [one for part in value.values for one in choices(part)]
    if isinstance(value, (ast.Await, ast.NamedExpr)):
        return choices(value.value)
    return [value]


def pairs(target, value):
    """(target, value) of each single target; if the part of a value is unknown, it is the whole value."""
    if isinstance(target, ast.Starred):
        return pairs(target.value, value)
    if not isinstance(target, (ast.Tuple, ast.List)):
        return [(target, value)]
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    if len(parts) != len(target.elts) or any(isinstance(e, ast.Starred) for e in target.elts):
        parts = [value] * len(target.elts)
    return [pair for part, one in zip(target.elts, parts) for pair in pairs(part, one)]


def assigned(node):
    """(target, value) of each single target of an assignment; nothing of any other node."""
    if isinstance(node, ast.Assign):
        return [pair for target in node.targets for pair in pairs(target, node.value)]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    return []


def is_unpacked(target, value):
    """Is the target only a part of the value?"""
    return isinstance(target.up, (ast.Tuple, ast.List)) and not \
        (isinstance(value.up, (ast.Tuple, ast.List)) and value.field == "elts")


class Places:
    """The places of all files, and the copies between them."""

    def __init__(self, files):
        self.files = files
        self.edges, self.types, self.bases = {}, {}, {}
        self.functions, self.classes, self.attributes = {}, {}, {}
        for source in files.all():
            for scope in source.scopes[1:]:
                kind = self.classes if scope.is_class else self.functions
                kind.setdefault(scope.name, []).append(scope)
                if scope.is_class:
                    self.bases.setdefault(scope.name, set()).update(
                        text_of(base).split(".")[-1] for base in scope.node.bases)
        for source in files.all():
            for node in ast.walk(source.tree):
                self._types_of(node)
        for source in files.all():
            for node in ast.walk(source.tree):
                self._copies_of(node)

    # ---- names ----

    def variable(self, scope, name):
        """The place of a name as it is read in a scope."""
        start = scope
        while scope is not None:
            here = scope.is_function or scope.outer is None or scope is start
            if name in scope.globals:
                scope = scope.source.top
                here = True
            if here and name in scope.imports:
                source, whole = scope.imports[name]
                return self.variable(source.top, whole) if whole else ("module", source.path)
            if here and name in scope.bound and name not in scope.elsewhere:
                if scope.is_class:
                    return self.attribute(scope.name, name)
                return ("var", scope.source.path, scope.qualname if scope.is_function else "", name)
            if scope.outer is None:
                break
            scope = scope.outer
        return ("var", scope.source.path, "", name)

    def attribute(self, owner, name):
        """The place of an attribute; remembered by its name."""
        self.attributes.setdefault(name, set()).add(owner)
        return ("attr", owner, name)

    def definition(self, place, table):
        """The functions or classes that a variable may name."""
        if not place or place[0] != "var":
            return []
        return [scope for scope in table.get(place[3], []) if scope.source.path == place[1] and
                (scope.outer.qualname if scope.outer.is_function else "") == place[2]]

    def owner_class(self, node):
        """The class of an object that an expression stands for; None: unknown."""
        if isinstance(node, ast.Call):
            made = self.place(node.func)
            found = self.definition(made, self.classes)
            return found[0].name if found else None
        if isinstance(node, ast.Name):
            method = node.scope
            while method and not method.method_of:
                method = method.outer
            if method and method.parameters[:1] == [node.id] and node.id in ("self", "cls", "mcs"):
                return method.method_of.name
        place = self.place(node)
        found = self.definition(place, self.classes)
        return found[0].name if found else self.class_at(place)

    def class_at(self, place):
        """The class of the object at a place, directly or through a few copies."""
        for near, _ in sorted(self.same_as({place: 0}, 3).items(), key=lambda item: item[1]):
            if near in self.types:
                return self.types[near]
        return None

    def place(self, node):
        """The place of an expression; None: it has none."""
        if isinstance(node, ast.Name):
            return self.variable(node.scope, node.id)
        if isinstance(node, ast.Attribute):
            return self._attribute_place(node)
        if isinstance(node, ast.Subscript):
            base = self.place(node.value)
            return ("item", base, key_of(node.slice)) if base else None
        if isinstance(node, ast.Call):
            return self._result_place(node)
        if isinstance(node, (ast.NamedExpr, ast.Await)):
            return self.place(node.target if isinstance(node, ast.NamedExpr) else node.value)
        return None

    def _attribute_place(self, node):
        dotted = text_of(node.value)
        scope = node.scope
        while scope:
            if dotted in scope.imports and scope.imports[dotted][1] is None:
                return self.variable(scope.imports[dotted][0].top, node.attr)
            scope = scope.outer
        base = self.place(node.value) if isinstance(node.value, ast.Name) else None
        if base and base[0] == "module":
            return self.variable(self.files.get(base[1]).top, node.attr)
        return self.attribute(self.owner_class(node.value), node.attr)

    def _result_place(self, node):
        callee = node.func
        if isinstance(callee, ast.Attribute) and callee.attr in GETTERS:
            base = self.place(callee.value)
            return ("item", base, key_of(node.args[0]) if node.args else None) if base else None
        if isinstance(callee, ast.Attribute) and callee.attr == "values":
            return self.place(callee.value)
        if isinstance(callee, ast.Name) and callee.id in PASSING and node.args:
            return self.place(node.args[0])
        found = [scope for scope in self.callees(node) if scope.is_function]
        return ("ret", found[0].source.path, found[0].qualname) if found else None

    # ---- calls ----

    def callees(self, node):
        """The scopes that a call may enter: functions, and classes that it makes."""
        callee = node.func
        if isinstance(callee, ast.Attribute):
            methods = [scope for scope in self.functions.get(callee.attr, []) if scope.method_of]
            place = self._attribute_place(callee)
            if place[0] == "var":
                return self.definition(place, self.functions) + self.definition(place, self.classes)
            fitting = [m for m in methods if self.related(place[1], m.method_of.name)]
            return fitting if len(fitting) <= 3 else []
        place = self.place(callee)
        return self.definition(place, self.functions) + self.definition(place, self.classes)

    def related(self, left, right):
        """May an object of one class be of the other? An unknown class may be any."""
        if left is None or right is None or left == right:
            return True
        return right in self._above(left) or left in self._above(right)

    def _above(self, name):
        found, todo = set(), [name]
        while todo:
            for base in self.bases.get(todo.pop(), ()):
                if base not in found:
                    found.add(base)
                    todo.append(base)
        return found

    # ---- copies ----

    def _join(self, left, right):
        if left and right and left != right:
            self.edges.setdefault(left, set()).add(right)
            self.edges.setdefault(right, set()).add(left)

    def _types_of(self, node):
        for target, value in assigned(node):
            self._set_type(target, value)
        if isinstance(node, ast.arg) and isinstance(node.annotation, (ast.Name, ast.Constant)):
            name = getattr(node.annotation, "id", getattr(node.annotation, "value", None))
            function = node.up.up
            if name in self.classes and hasattr(function, "inside"):
                self.types[self.variable(function.inside, node.arg)] = name

    def _set_type(self, target, value):
        for one in choices(value):
            if isinstance(one, ast.Call):
                found = self.definition(self.place(one.func), self.classes)
                if found:
                    self.types[self.place(target)] = found[0].name

    def _copies_of(self, node):
        for target, value in assigned(node):
            self._copy(target, value)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._loop(node.target, node.iter)
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Return) and node.value is not None:
            returned = ("ret", node.scope.source.path, node.scope.qualname)
            for value in choices(node.value):
                self._join(returned, self.place(value))

    def _copy(self, target, value):
        if is_unpacked(target, value):
            return
        place = self.place(target)
        for one in choices(value):
            self._join(place, self.place(one))
            if isinstance(one, ast.Dict):
                for key, part in zip(one.keys, one.values):
                    self._join(("item", place, key_of(key)), self.place(part))
            elif isinstance(one, (ast.List, ast.Tuple)):
                for number, part in enumerate(one.elts):
                    self._join(("item", place, repr(number)), self.place(part))

    def _loop(self, target, over):
        parts = [target]
        if isinstance(target, ast.Tuple) and isinstance(over, ast.Call):
            name = getattr(over.func, "id", getattr(over.func, "attr", ""))
            if name == "enumerate" and over.args and len(target.elts) == 2:
                parts, over = [target.elts[1]], over.args[0]
            elif name == "items" and len(target.elts) == 2:
                parts, over = [target.elts[1]], over.func.value
            elif name == "zip" and len(over.args) == len(target.elts):
                for one, part in zip(target.elts, over.args):
                    self._loop(one, part)
                return
        base = self.place(over)
        if base and not isinstance(parts[0], ast.Tuple):
            self._join(self.place(parts[0]), ("item", base, None))

    def _call(self, node):
        for scope in self.callees(node):
            if scope.is_class:
                self._construct(scope, node)
            else:
                skip = 1 if scope.method_of and isinstance(node.func, ast.Attribute) else 0
                self._bind(scope, node.args, node.keywords, skip)
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if "target" in given and isinstance(given.get("args"), (ast.Tuple, ast.List)):
            self._bind_named(given["target"], given["args"].elts, [])
        elif getattr(node.func, "attr", getattr(node.func, "id", "")) in ("partial", "submit") and node.args:
            self._bind_named(node.args[0], node.args[1:], node.keywords)

    def _bind_named(self, function, args, keywords):
        for scope in self.definition(self.place(function), self.functions):
            self._bind(scope, args, keywords, 0)

    def _bind(self, scope, args, keywords, skip):
        inside = ("var", scope.source.path, scope.qualname)
        for name, arg in zip(scope.parameters[skip:], args):
            if isinstance(arg, ast.Starred):
                break
            self._join(inside + (name,), self.place(arg))
        for keyword in keywords:
            if keyword.arg in scope.bound:
                self._join(inside + (keyword.arg,), self.place(keyword.value))

    def _construct(self, scope, node):
        made = [inner for inner in self.functions.get("__init__", [])
                if inner.method_of and self.related(scope.name, inner.method_of.name)]
        own = [inner for inner in made if inner.method_of is scope] or made[:1]
        for inner in own:
            self._bind(inner, node.args, node.keywords, 1)
        if not own:
            for keyword in node.keywords:
                if keyword.arg:
                    self._join(self.attribute(scope.name, keyword.arg), self.place(keyword.value))

    # ---- closure ----

    def _near(self, place):
        found = [(other, 1) for other in self.edges.get(place, ())]
        if place[0] == "attr":
            for owner in self.attributes.get(place[2], ()):
                if owner != place[1] and self.related(owner, place[1]):
                    vague = 1 if owner is None or place[1] is None else 0
                    found.append((("attr", owner, place[2]), vague))
        return found

    def same_as(self, seeds, most=COPIES_MAX):
        """{place: copies between} of all places that may hold the object at one of the seeds."""
        found = {place: cost for place, cost in seeds.items() if place}
        todo = list(found)
        while todo:
            place = todo.pop(0)
            for other, cost in self._near(place):
                whole = found[place] + cost
                if whole <= most and whole < found.get(other, most + 1):
                    found[other] = whole
                    todo.append(other)
        return found

    def functions_named(self, name, path=None):
        """By a qualified or a plain name, in a file or in all."""
        plain = name.split(".")[-1]
        found = [scope for scope in self.functions.get(plain, []) if path in (None, scope.source.path)]
        exact = [scope for scope in found if scope.qualname == name]
        return exact or found
