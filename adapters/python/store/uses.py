"""How the source uses what a container holds: a change must leave these uses possible."""
import ast

from source import statement_of, text_of

JOINING = ("stack", "cat", "concat", "hstack", "vstack")
NEEDING = JOINING + ("isinstance", "type")
SUMMING = JOINING + ("sum", "mean")
REMOVING = ("remove", "popleft", "popitem", "task_done", "join")


def name_of(node):
    """The last name of an expression; "": it has none."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def constant_of(node):
    """The value of a number as it is written, -1 too; None: it is none."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, int) else None


class Uses:
    """All places that may mean the same container, found by its last name."""

    def __init__(self, container, sources):
        name = name_of(container)
        self.nodes = [node for source in sources for node in ast.walk(source.tree)
                      if name and node is not container and name_of(node) == name and hasattr(node, "scope")]

    def _element(self, node):
        """The expression that is one element, or some, of the container."""
        above = getattr(node, "up", None)
        return above if isinstance(above, ast.Subscript) and above.value is node else None

    def _iterated(self, node):
        """(variable, what it is valid in) for each loop over the container."""
        element = self._element(node) or node
        above = element.up
        if isinstance(above, ast.Call) and name_of(above.func) in ("enumerate", "reversed", "zip"):
            element, above = above, above.up
        if isinstance(above, (ast.For, ast.AsyncFor, ast.comprehension)) and above.iter is element:
            body = above.up if isinstance(above, ast.comprehension) else above
            for one in ast.walk(above.target):
                if isinstance(one, ast.Name):
                    yield one.id, body

    def _is_object(self, node):
        element = self._element(node)
        if element is not None and not isinstance(element.slice, ast.Slice) and \
                isinstance(element.up, ast.Attribute):
            return True
        above = (element or node).up
        if isinstance(above, ast.Raise) or isinstance(above, ast.Call) and name_of(above.func) in NEEDING:
            return True
        held = list(self._iterated(node))
        if element is not None and isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            held.append((above.targets[0].id, above.scope.node))
        return any(isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == name
                   for name, body in held for one in ast.walk(body))

    @property
    def as_objects(self):
        """Does the source call methods of its elements, or join them?"""
        return any(self._is_object(node) for node in self.nodes)

    @property
    def for_gradients(self):
        """Does a sum of its elements lead to backward()?"""
        return any(self._leads_to_backward(node) for node in self.nodes)

    def _leads_to_backward(self, node):
        """In its own function, through variables."""
        statement, above = statement_of(node), node
        while above is not statement and not (isinstance(above, ast.Call) and name_of(above.func) in SUMMING):
            above = above.up
        if above is statement:
            return False
        known, size = {text_of(statement)}, 0
        names = {one.id for target in getattr(statement, "targets", []) for one in ast.walk(target)
                 if isinstance(one, ast.Name)}
        parts = list(ast.walk(statement.scope.node))
        while size != len(names):
            size = len(names)
            for one in parts:
                if isinstance(one, (ast.Assign, ast.AugAssign)) and \
                        names & {part.id for part in ast.walk(one.value) if isinstance(part, ast.Name)}:
                    targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                    names.update(part.id for target in targets for part in ast.walk(target)
                                 if isinstance(part, ast.Name))
        calls = [one for one in parts if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and
                 one.func.attr == "backward"]
        return any(name_of(one.func.value) in names or text_of(statement_of(one)) in known for one in calls)

    @property
    def by_index(self):
        """Does the source count its elements from the start? Then removing old ones would move the others."""
        for node in self.nodes:
            element = self._element(node)
            if element is None or isinstance(element.slice, ast.Slice):
                continue
            number = constant_of(element.slice)
            if number is None or number > 0:
                return True
        return False

    @property
    def removed(self):
        """Does the source remove single elements, and so expect to find them?"""
        return any(isinstance(node.up, ast.Attribute) and node.up.attr in REMOVING for node in self.nodes)
