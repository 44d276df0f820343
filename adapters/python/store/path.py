"""From the path of a holder to the places in the source that may name its objects."""
from source import is_library

ROOTS = ("module", "frame", "thread", "type", "runtime")
CACHE_TYPES = ("_lru_cache_wrapper", "lru_cache", "cache")
THROUGH = ("__dict__", "cell_contents", "__func__", "__wrapped__")


def short(name):
    """The last word of a qualified name."""
    return name.replace(">", "").split(".")[-1]


class Step:  # pylint: disable=too-many-instance-attributes
    """One step as the doctor sends it; a missing field, or one of a wrong type, is empty."""

    def __init__(self, fields):
        def text(name):
            return fields[name] if isinstance(fields.get(name), str) else ""

        def count(name):
            return fields[name] if isinstance(fields.get(name), int) else 0

        self.kind, self.name, self.type, self.file = text("kind"), text("name"), text("type"), text("file")
        self.line, self.number = count("line"), count("number")
        self.length, self.bound = count("length"), count("bound")
        self.places = {}     # what may hold the object that this step leads to: {place: copies}
        self.functions = []  # the functions that it may be, if it is one

    @property
    def is_cache(self):
        """Is it a function whose results are kept?"""
        return short(self.type) in CACHE_TYPES


class Walk:
    """Gives every step its places."""

    def __init__(self, steps, places, main_file):
        self.steps, self.places, self.files = steps, places, places.files
        self.main_file = main_file
        self.root = None  # the Source of a module, or the Scope of a running function
        for number, step in enumerate(steps):
            previous = steps[number - 1] if number else None
            seeds = getattr(self, "_" + step.kind.replace("-", "_"), self._nothing)(step, previous)
            step.places = places.same_as(seeds or {})
            if not step.functions and step.places:
                step.functions = [scope for place in step.places
                                  for scope in places.definition(place, places.functions)]

    def _nothing(self, *_):
        return {}

    def _module(self, step, _):
        path = step.file or (self.main_file if step.name == "__main__" else "")
        self.root = self.files.get(path)
        if self.root is None and step.name and not is_library(path):
            for source in self.files.all():
                if source.path.endswith("/" + step.name.replace(".", "/") + ".py"):
                    self.root = source

    def _frame(self, step, _):
        source = self.files.get(step.file)
        if source is None:
            return
        scope = source.scope_at(step.line) if step.line else source.top
        named = [one for one in self.places.functions_named(step.name, step.file)
                 if not step.line or one.has_line(step.line)]
        self.root = scope if scope.qualname == step.name or not named else named[-1]

    def _attribute(self, step, previous):
        if previous is None:
            return {}
        if previous.kind == "module":
            return {self.places.variable(self.root.top, step.name): 0} if self.root else {}
        if previous.kind == "type" or short(previous.type) in ("type", "ABCMeta", "EnumMeta", "EnumType"):
            return {self.places.attribute(short(previous.name), step.name): 0}
        owner = short(previous.type) if short(previous.type) in self.places.classes else None
        return {self.places.attribute(owner, step.name): 0}

    def _local(self, step, previous):
        if previous is not None and previous.kind == "frame":
            scope = getattr(self.root, "top", self.root)
            if scope is None:
                return {}
            if scope.outer is None:
                return {self.places.variable(scope, step.name): 0}
            return {("var", scope.source.path, scope.qualname, step.name): 0}
        return {("var", scope.source.path, scope.qualname, step.name): 0
                for source in self.files.all() if step.file in ("", source.path)
                for scope in source.scopes if scope.is_function and step.name in scope.bound and
                (scope.yields or scope.source.path == step.file)}

    def _makers(self, previous):
        """The functions that the step before may stand for."""
        if previous is None:
            return []
        named = previous.functions or [scope for name in (previous.name, previous.type) if name
                                       for scope in self.places.functions_named(name)]
        return named if named else []

    def _closure(self, step, previous):
        found = {}
        for scope in self._makers(previous):
            place = self.places.variable(scope, step.name)
            inner = [one for one in scope.source.scopes if one.outer is scope and one.is_function]
            if place[0] == "var" and place[2] and place[2] != scope.qualname:
                found[place] = 0
            elif step.name in scope.bound and inner:  # only the name of the enclosing function was known
                found[("var", scope.source.path, scope.qualname, step.name)] = 0
        return found or {("var", source.path, scope.outer.qualname, step.name): 1
                         for source in self.files.all() for scope in source.scopes
                         if scope.is_function and scope.outer.is_function and
                         step.name in scope.outer.bound and step.name not in scope.bound}

    def _default(self, step, previous):
        scopes = [scope for scope in self._makers(previous) if step.name in scope.defaults]
        scopes = scopes or [scope for source in self.files.all() for scope in source.scopes
                            if scope.is_function and step.name in scope.defaults]
        return {("var", scope.source.path, scope.qualname, step.name): 0 for scope in scopes}

    def _key(self, step, previous):
        if previous is None:
            return {}
        if previous.kind == "part" and previous.name == "__dict__":
            return {self.places.attribute(None, step.name.strip("'\"")): 0}
        return {("item", place, key): cost for place, cost in previous.places.items()
                for key in (step.name or None, None)}

    def _index(self, step, previous):
        return {("item", place, key): cost for place, cost in (previous.places if previous else {}).items()
                for key in (repr(step.number), None)}

    def _part(self, step, previous):
        step.functions = previous.functions if previous and step.name in THROUGH else []
        return previous.places if previous and step.name in THROUGH else {}
