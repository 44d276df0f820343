"""Where the memory was allocated, and what that says about a statement that may have stored it."""
import ast

from operations import bound_names
from source import loops_around, names_in, statement_of, text_of

MEASURES = ("item", "float", "int", "str", "len", "repr", "bool", "hash", "id")
ROUNDS = 4  # of passing a value from name to name


def names_kept(node):
    """The variables whose values an expression passes on, not those whose length or text it takes."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in MEASURES:
            return set()
    found = {node.id} if isinstance(node, ast.Name) else set()
    for part in ast.iter_child_nodes(node):
        found |= names_kept(part)
    return found


class Frame:  # pylint: disable=too-few-public-methods
    """One call on the way to the allocation."""

    def __init__(self, source, line):
        self.line = line
        self.scope = source.scope_at(line)
        own = [node for node in ast.walk(self.scope.node)
               if isinstance(node, ast.stmt) and node.scope is self.scope and
               node.lineno <= line <= getattr(node, "end_lineno", node.lineno)]
        self.statement = max(own, key=lambda node: node.lineno) if own else None
        self.loops = loops_around(self.statement) if self.statement is not None else []
        self.made = bound_names(self.statement) if self.statement is not None else set()
        self.derived = self._derive()

    def _derive(self):
        """What gets its value from what was made there, in the same function."""
        found = set(self.made)
        statements = [node for node in ast.walk(self.scope.node)
                      if isinstance(node, ast.stmt) and getattr(node, "scope", None) is self.scope]
        for _ in range(ROUNDS if found else 0):
            before = len(found)
            for node in statements:
                value = getattr(node, "value", getattr(node, "iter", None))
                if isinstance(value, ast.AST) and names_in(value) & found:
                    found |= bound_names(node)
            if len(found) == before:
                break
        return found - self.made


class Stack:
    """The user's frames, innermost first."""

    def __init__(self, files, frames):
        self.frames = []
        for frame in frames:
            source = files.get(frame.get("file", ""))
            if source and frame.get("line"):
                self.frames.append(Frame(source, frame["line"]))

    def calls(self, places):
        """The functions that those on the stack call: {(file, qualified name)}."""
        found = set()
        for frame in self.frames:
            for node in ast.walk(frame.scope.node):
                if isinstance(node, ast.Call) and getattr(node, "scope", None):
                    found.update((c.source.path, c.qualname) for c in places.callees(node))
        return found

    def score(self, operation):
        """How well a statement fits: in a function that was running, after the line, of its value."""
        best = 0
        for depth, frame in enumerate(self.frames):
            if frame.scope is not operation.scope:
                continue
            score = 8 - min(depth, 4) * 0.5
            statement = statement_of(operation.node)
            same_loop = bool(set(map(id, frame.loops)) & set(map(id, loops_around(operation.node))))
            if operation.line <= frame.line <= operation.last:
                score += 4
            elif frame.line < operation.line:
                score += 3
            score += 2 if same_loop else 0
            if operation.stored is not None:
                names = names_in(operation.stored)
                score += 5 if names & frame.made else 3 if names & frame.derived else 0
            if statement is frame.statement:
                score += 2
            best = max(best, score)
        return best

    def takes(self, operation):
        """Does it store what was made in a function that was running, or is that made for it?"""
        if operation.stored is None or not operation.container:
            return False
        names = names_kept(operation.stored)
        for depth, frame in enumerate(self.frames):
            if frame.scope is operation.scope and self._made_anew(operation, depth):
                return False
            inside = operation.kind != "augmented" and operation.line <= frame.line <= operation.last and \
                statement_of(operation.node) is frame.statement
            if frame.scope is operation.scope and (names & frame.made or inside):
                return True
        return False

    def _made_anew(self, operation, depth):
        """Does it store into a local variable of a function that is called in a loop?"""
        name, place = text_of(operation.container), operation.place
        own = place is not None and place[0] == "var" and place[2] and \
            name not in operation.scope.parameters and place[2] == operation.scope.qualname
        return bool(own) and any(frame.loops for frame in self.frames[depth + 1:])
