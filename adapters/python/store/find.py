"""Find the statement that stores what is held: candidates by place, the best by where the memory was made."""
import ast
import re

from operations import all_operations, decorator_of, grows, wrapped_by_cache
from path import ROOTS, Step, Walk, short
from places import Places
from source import Files, is_library, loops_around, names_in, text_of
from stack import Stack
from answer import answer_for, answer_line
from change import called, limited_decorator, opener

LEAST = 7           # a candidate below this is a guess
COPY_COSTS = 2      # for each copy between the container and the name it is stored by
LEAVING = ("clear", "pop", "popleft", "popitem", "remove", "discard", "get", "get_nowait")
PLAIN = {"item": "float", "float": "float", "int": "int", "str": "str", "len": "int", "repr": "str",
         "tolist": "list", "dict": "dict", "list": "list", "set": "set", "tuple": "tuple", "deque": "deque",
         "bytes": "bytes", "bytearray": "bytearray", "numpy": "ndarray", "sum": "", "copy": ""}
LITERALS = ((ast.List, "list"), (ast.ListComp, "list"), (ast.Dict, "dict"), (ast.DictComp, "dict"),
            (ast.Set, "set"), (ast.Tuple, "tuple"), (ast.JoinedStr, "str"), (ast.Lambda, "function"))


def words(name):
    """The words of a name, without plural endings: addHandler, _forward_hooks."""
    parts = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().split("_")
    return {part[:-1] if part.endswith("s") else part for part in parts} - {"", "add", "register", "on"}


def left_by(node):
    """The containers from which a node removes something."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEAVING:
        return [node.func.value]
    if isinstance(node, ast.Delete):
        return [one.value for one in node.targets if isinstance(one, ast.Subscript)]
    return []


def is_empty(node):
    """None, or a new empty container."""
    return node is None or isinstance(node, ast.Constant) or \
        isinstance(node, (ast.List, ast.Set, ast.Tuple)) and not node.elts or \
        isinstance(node, ast.Dict) and not node.keys or \
        isinstance(node, ast.Call) and not node.args and not node.keywords


class Search:  # pylint: disable=too-many-instance-attributes
    """One question."""

    def __init__(self, question, texts):
        self.steps = [Step(fields) for fields in question.get("path", []) if isinstance(fields, dict)]
        frames = [frame for frame in question.get("stack", []) if isinstance(frame, dict)]
        listed = [str(path) for path in question.get("files", [])]
        paths = [step.file for step in self.steps] + [str(f.get("file", "")) for f in frames] + listed
        self.user_frames = [f for f in frames if isinstance(f.get("line"), int) and
                            not is_library(str(f.get("file", "")))]
        main_file = self.user_frames[-1]["file"] if self.user_frames else ""
        self.places = Places(Files(dict.fromkeys(path for path in paths if path), texts))
        self.walk = Walk(self.steps, self.places, main_file)
        self.stack = Stack(self.places.files, self.user_frames)
        self.called = self.stack.calls(self.places)
        self.container = question.get("container", -1)
        self.measured = [(str(one.get("file", "")), one.get("line", 0))
                         for one in question.get("measured", [])]
        self.operations = [one for one in all_operations(self.places.files.all()) if not self._own(one)]
        for one in self.operations:
            one.place = self.places.place(one.container)

    def _own(self, operation):
        """A call of a function in the source stores nothing itself: statements in that function do."""
        return operation.kind in ("call", "register") and isinstance(operation.node.func, ast.Attribute) \
            and bool(self.places.callees(operation.node))

    # ---- what a value is ----

    def value_type(self, node):
        """The name of an expression's type; "": unknown."""
        if isinstance(node, ast.Constant):
            return type(node.value).__name__
        for kind, name in LITERALS:
            if isinstance(node, kind):
                return name
        if isinstance(node, ast.Call):
            name = text_of(node.func).split(".")[-1]
            return PLAIN.get(name, name if name in self.places.classes else "")
        place = self.places.place(node) if node is not None else None
        return (self.places.class_at(place) if place else None) or ""

    def _fits(self, operation, position):
        """Does it store the type that is held?"""
        if operation.method in ("extend", "extendleft", "update") or operation.kind == "augmented":
            return 0
        at = position if operation.kind == "rebind" else position + 1
        held = short(self.steps[at].type) if at < len(self.steps) else ""
        known = self.value_type(operation.stored) if operation.stored is not None else ""
        if not held or not known:
            return 0
        return 3 if self.places.related(held, known) else -8

    # ---- candidates ----

    def _common(self, operation):
        score = self.stack.score(operation)
        scope = operation.scope
        if not score and (scope.source.path, scope.qualname) in self.called:
            score += 4
        score += 3 if loops_around(operation.node) else 0
        if any(path == operation.source.path and operation.line <= line <= operation.last
               for path, line in self.measured):
            score += 6
        return score

    def _stores(self):
        """Operations on a named step of the path."""
        for position, step in enumerate(self.steps):
            for operation in self.operations:
                distance = step.places.get(operation.place)
                if distance is None or operation.kind == "register":
                    continue
                base = self._weight(operation, position, step)
                if base:
                    yield (base - COPY_COSTS * distance + self._fits(operation, position) +
                           self._common(operation), position, operation)

    def _weight(self, operation, position, step):
        more = grows(operation)
        if operation.kind == "rebind" and not more:
            return 2 if self.container < 0 else 0
        if not more:
            return 1 if operation.kind == "item" and operation.repeats_itself else 0
        if position == self.container:
            return 14
        if operation.kind in ("rebind", "augmented"):
            return 14 if self.container < 0 else 7
        return 6 if step.length or self.container < 0 else 4

    def _is_user(self, step):
        """Is the object of a class in the source? Then its attributes are stored into by name."""
        return step.kind in ROOTS or short(step.type) in self.places.classes

    def _registered(self):
        """Calls of an object's own method that puts something into it: hooks, handlers, queues."""
        for position in range(1, len(self.steps)):
            step, above = self.steps[position], self.steps[position - 1]
            if step.kind not in ("attribute", "part") or not (step.length or position == self.container):
                continue
            for operation in self.operations:
                if operation.kind not in ("register", "call", "item") or \
                        (operation.kind == "item" and not grows(operation)):
                    continue
                distance = above.places.get(operation.place)
                if above.kind in ROOTS and text_of(operation.container) == above.name:
                    distance = 0
                if distance is None:
                    continue
                inside = operation.kind != "register" and not self._is_user(above)
                base = 9 if words(step.name) & words(operation.method) else 12 if inside else 4
                yield base - COPY_COSTS * distance + self._common(operation), position, operation

    def _by_root(self):
        """`atexit.register(f)`: the module, or what the runtime calls its list, has the method."""
        names = {word for step in self.steps[:2] for word in re.split(r"\W+", step.name) if word}
        if self.steps and self.steps[0].kind == "runtime" and not self.steps[0].name:
            names.add("atexit")  # from CPython 3.10 on its list is in memory that no object leads to
        for operation in self.operations:
            if operation.kind == "register" and text_of(operation.container) in names:
                yield 8 + self._common(operation), 0, operation

    def _by_name(self):
        """The same last name, where the object could not be followed."""
        step = self.steps[self.container] if 0 <= self.container < len(self.steps) else None
        if step is None or not step.name or step.kind in ("key", "index", "native"):
            return
        for operation in self.operations:
            if grows(operation) and text_of(operation.container).split(".")[-1] == step.name:
                yield 3 + self._fits(operation, self.container) + self._common(operation), \
                    self.container, operation
            elif operation.kind == "register" and words(step.name) & words(operation.method):
                yield 3 + self._common(operation), self.container, operation

    def _cache(self):
        """A decorator that keeps results: (operation or None, its node, the function)."""
        for step in self.steps:
            if not step.is_cache:
                continue
            scopes = step.functions or self.places.functions_named(short(step.name))
            for scope in scopes:
                decorator = decorator_of(scope.node) if hasattr(scope.node, "decorator_list") else None
                if decorator is not None:
                    return decorator, scope
            for operation in self.operations:
                if operation.kind == "rebind" and wrapped_by_cache(operation) and \
                        (operation.place in step.places or text_of(operation.container) == step.name):
                    return operation.node, operation.scope
        return None

    def _by_flow(self):
        """The holder is unknown: the only statement that keeps what was made, if there is exactly one."""
        found = [one for one in self.operations
                 if one.kind in ("call", "item", "augmented") and grows(one) and
                 self.stack.takes(one) and not self._emptied(one)]
        if len({id(one.node) for one in found}) != 1:
            return {}
        return dict(answer_for(found[0], [], self.operations), type=self._type_of(found[0].place))

    def _emptied(self, operation):
        """Is its container created again in a loop, or is anything ever removed from it?"""
        near = self.places.same_as({operation.place: 0})
        if any(other.kind == "rebind" and other.place in near and loops_around(other.node) and
               not other.repeats_itself for other in self.operations):
            return True
        return any(self.places.place(left) in near for source in self.places.files.all()
                   for node in ast.walk(source.tree) for left in left_by(node))

    def _library_call(self):
        """Held inside a library: the user's line that called into it can be changed."""
        root = self.steps[0]
        if root.kind not in ("module", "type") or not root.file or not is_library(root.file) or \
                not self.user_frames:
            return None
        frame = self.stack.frames[0] if self.stack.frames else None
        if frame is None or frame.statement is None:
            return answer_line(self.user_frames[0], "call")
        statement = opener(frame.statement)
        line = statement.lineno if statement is not frame.statement else self.user_frames[0]["line"]
        return answer_line(dict(self.user_frames[0], line=line), "call", **called(statement))

    def _object_call(self):
        """Held inside an object whose class is not in the source, such as itertools.cycle: the user's
        line that makes the memory, if it uses the variable that the object is in."""
        held = next((step for step in self.steps if step.kind in ("local", "attribute", "closure")), None)
        frame = self.stack.frames[0] if self.stack.frames else None
        if held is None or frame is None or frame.statement is None or "." not in held.type or \
                short(held.type) in self.places.classes or held.name not in names_in(frame.statement):
            return None
        return answer_line(self.user_frames[0], "call")

    def _graph_of_gradients(self):
        """A parameter has no graph of its own: what leads from one to a graph is its gradient, which
        backward(create_graph=True) gives one. The only such call, or None."""
        if not any(short(step.type) == "Parameter" and after.name == "grad_fn"
                   for step, after in zip(self.steps, self.steps[1:])):
            return None
        found = [node for source in self.places.files.all() for node in ast.walk(source.tree)
                 if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and
                 node.func.attr == "backward" and any(word.arg == "create_graph" for word in node.keywords)]
        return found[0] if len(found) == 1 else None

    def _tied(self):
        """Objects that hold each other: the only statement that makes one object refer to another, or adds it
        to a container of another."""
        names = {step.name for step in self.steps if step.kind == "attribute"}
        tying = [one for one in self.operations
                 if isinstance(one.container, ast.Attribute) and one.container.attr in names]
        for kinds in (("rebind",), ("call", "item")):
            found = [one for one in tying if one.kind in kinds and not is_empty(one.stored)]
            if len({id(one.node) for one in found}) == 1:
                return answer_for(found[0], [], self.operations)
        return {}

    def _type_of(self, place):
        """The type that the source gives the container there; "": several, or none."""
        known = {self.value_type(one.stored) for one in self.operations
                 if one.kind == "rebind" and one.place == place and one.stored is not None}
        return known.pop() if len(known) == 1 else ""

    def _answer(self, operation, position):
        """With the step that the statement stores into: this one, or the object that has it."""
        into = next((step for step in (self.steps[position], self.steps[position - 1])
                     if operation.place in step.places), None)
        found = answer_for(operation, self.steps[position + 1:], self.operations, into)
        if into is not None:
            found["length"] = max(into.length, self.steps[position].length)
        return found

    def answer(self):
        """{field: value}; empty: not found."""
        if not self.steps:
            return self._by_flow()
        if self.steps[0].kind == "cycle":
            return self._tied()
        kept = self._graph_of_gradients()
        if kept is not None:
            return answer_line({"file": kept.scope.source.path, "line": kept.lineno,
                                "function": kept.scope.qualname}, "create_graph", text_of(kept.func.value))
        cache = self._cache()
        if cache:
            node, scope = cache
            return answer_line({"file": scope.source.path, "line": node.lineno,
                                "function": scope.qualname}, "cache", text_of(node),
                               length=max(step.length for step in self.steps),
                               **limited_decorator(node, scope))
        found = list(self._stores()) + list(self._registered())
        if not found or max(found, key=lambda one: one[0])[0] < LEAST:
            found += list(self._by_root()) + list(self._by_name())
        found.sort(key=lambda one: (-one[0], one[2].line))
        if found and found[0][0] >= LEAST:
            _, position, operation = found[0]
            return self._answer(operation, position)
        return self._library_call() or self._object_call() or {}


def find(question, texts):
    """The answer to one question. `texts`: the program's source, by path."""
    return Search(question, texts).answer()
