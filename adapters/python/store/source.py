"""The program's files as syntax trees whose nodes know their scope and their parent.

Nothing of the program is imported or run, and no file is opened: the doctor sends the texts, because it
knows which files the run recorded. A text that cannot be parsed counts as absent.
"""
import ast
import os

FILE_CHARACTERS = 4 * 1024 * 1024
FILES_MAX = 200

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LIBRARY = ("/site-packages/", "/dist-packages/", "/lib/python2", "/lib/python3", "/lib64/python3",
           "/python/tare/", "/python/inject/")


def is_library(path):
    """Is this a file of the interpreter's own library, or of an installed package?"""
    return not path or path.startswith("<") or any(part in path for part in LIBRARY)


class Scope:
    """A module, a class or a function: what its names mean."""

    def __init__(self, source, node, name, outer):
        self.source, self.node, self.outer = source, node, outer
        self.name = name
        joint = ".<locals>." if outer and outer.is_function else "."
        self.qualname = name if outer is None or outer.outer is None else outer.qualname + joint + name
        self.is_function = isinstance(node, FUNCTIONS)
        self.is_class = isinstance(node, ast.ClassDef)
        self.bound, self.elsewhere, self.globals = set(), set(), set()
        self.imports = {}  # name: (module's Source, name in it or None)
        self.parameters = []
        self.defaults = set()
        self.yields = False
        if self.is_function:
            self._add_parameters(node.args)

    def _add_parameters(self, args):
        placed = getattr(args, "posonlyargs", []) + args.args
        self.parameters = [arg.arg for arg in placed]
        named = self.parameters + [arg.arg for arg in args.kwonlyargs]
        rest = [arg.arg for arg in (args.vararg, args.kwarg) if arg]
        self.bound.update(named + rest)
        if args.defaults:
            self.defaults.update(self.parameters[-len(args.defaults):])
        self.defaults.update(arg.arg for arg, value in zip(args.kwonlyargs, args.kw_defaults) if value)

    @property
    def method_of(self):
        """The class whose method this is."""
        return self.outer if self.is_function and self.outer and self.outer.is_class else None

    def has_line(self, line):
        """Is the line inside?"""
        return getattr(self.node, "lineno", 0) <= line <= getattr(self.node, "end_lineno", 1 << 60)


class Source:
    """One file."""

    def __init__(self, path, tree, text=""):
        self.path, self.tree, self.lines = path, tree, text.split("\n")
        self.modules = set()      # those that the file imports by their own names, for all of it
        self.functools = set()    # names of the module functools
        self.from_functools = {}  # name: what it is called in functools
        self.scopes = []
        self.top = self._scope(tree, "<module>", None)
        self._visit(tree, self.top)

    def _scope(self, node, name, outer):
        scope = Scope(self, node, name, outer)
        node.inside = scope
        self.scopes.append(scope)
        return scope

    def _visit(self, node, scope):
        for field, child in ast.iter_fields(node):
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST):
                    one.up, one.field, one.scope = node, field, scope
                    self._enter(one, scope)

    def _enter(self, node, scope):
        if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            name = getattr(node, "name", "<lambda>")
            scope.bound.add(name)
            inner = self._scope(node, name, scope)
            self._visit_parts(node, scope, inner)
            return
        self._note(node, scope)
        self._visit(node, scope)

    def _visit_parts(self, node, outer, inner):
        """Decorators, bases and default values belong to the scope outside."""
        for field, child in ast.iter_fields(node):
            for one in child if isinstance(child, list) else [child]:
                if not isinstance(one, ast.AST):
                    continue
                one.up, one.field = node, field
                one.scope = inner if field == "body" else outer
                self._enter(one, one.scope)

    def _note(self, node, scope):
        if isinstance(node, ast.Import):
            self.functools.update(one.asname or one.name for one in node.names if one.name == "functools")
            if scope.outer is None:
                self.modules.update(one.name for one in node.names if one.asname in (None, one.name))
        elif isinstance(node, ast.ImportFrom) and node.module == "functools":
            self.from_functools.update({one.asname or one.name: one.name for one in node.names})
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            scope.bound.add(node.id)
        elif isinstance(node, ast.Global):
            scope.globals.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.elsewhere.update(node.names)
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            scope.yields = True
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bound.add(node.name)

    def scope_at(self, line):
        """The innermost scope around a line."""
        best = self.top
        for scope in self.scopes[1:]:
            if scope.has_line(line) and not isinstance(scope.node, ast.Lambda) and \
                    scope.node.lineno >= getattr(best.node, "lineno", 0):
                best = scope
        return best


class Files:
    """All files that matter, parsed once each. `texts`: what they hold, by their paths."""

    def __init__(self, paths, texts):
        self.sources, self._roots, self._texts = {}, [], texts
        for path in paths:
            self.get(path)
        for source in list(self.sources.values()):
            if source:
                self._follow_imports(source)

    def get(self, path):
        """The Source of a path; None: not available, or it cannot be parsed."""
        if is_library(path):
            return None
        if path not in self.sources and len(self.sources) < FILES_MAX:
            self.sources[path] = self._parse(path)
            if self.sources[path]:
                self._add_roots(path)
        return self.sources.get(path)

    def _parse(self, path):
        text = self._texts.get(path)
        if not isinstance(text, str) or len(text) > FILE_CHARACTERS:
            return None
        try:
            return Source(path, ast.parse(text), text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def all(self):
        """Those that could be read."""
        return [source for source in self.sources.values() if source]

    def _add_roots(self, path):
        """Where modules are searched: beside the file, and above the packages that it is in."""
        folder = os.path.dirname(path)
        for _ in range(6):
            if folder not in self._roots:
                self._roots.append(folder)
            if os.path.join(folder, "__init__.py") not in self._texts:
                break
            folder = os.path.dirname(folder)

    def module(self, name, source, level=0):
        """The Source of a module as a file of the program imports it."""
        roots = self._roots
        if level:
            folder = os.path.dirname(source.path)
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            roots = [folder]
        for root in list(roots):
            base = os.path.join(root, *name.split(".")) if name else root
            for path in (base + ".py", os.path.join(base, "__init__.py")):
                if path in self.sources or path in self._texts:
                    return self._known(path)
        return None

    def _known(self, path):
        new = path not in self.sources
        source = self.get(path)
        if source and new:
            self._follow_imports(source)
        return source

    def _follow_imports(self, source):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found = self.module(alias.name, source)
                    if found:
                        node.scope.imports[alias.asname or alias.name] = (found, None)
                    node.scope.bound.add((alias.asname or alias.name).split(".")[0])
            elif isinstance(node, ast.ImportFrom):
                self._follow_from(source, node)

    def _follow_from(self, source, node):
        found = self.module(node.module or "", source, node.level)
        for alias in node.names:
            name = alias.asname or alias.name
            node.scope.bound.add(name)
            whole = (node.module + "." if node.module else "") + alias.name
            below = self.module(whole, source, node.level)
            if below:
                node.scope.imports[name] = (below, None)
            elif found:
                node.scope.imports[name] = (found, alias.name)


def text_of(node):
    """An expression as one line of source."""
    try:
        return " ".join(ast.unparse(node).split("\n"))
    except (ValueError, RecursionError, AttributeError):
        return ""


def statement_of(node):
    """The statement that a node is part of."""
    while not isinstance(node, (ast.stmt, ast.Module)):
        node = node.up
    return node


def loops_around(node):
    """The loops around a node within its function, innermost first."""
    found = []
    while node is not None and not isinstance(node, FUNCTIONS + (ast.ClassDef, ast.Module)):
        above = getattr(node, "up", None)
        if isinstance(above, LOOPS) and getattr(node, "field", "") not in ("iter", "orelse"):
            found.append(above)
        node = above
    return found


def names_in(node):
    """The variables that an expression reads; attributes and elements of them too."""
    found = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.add(one.id)
        elif isinstance(one, (ast.Attribute, ast.Subscript)):
            found.add(text_of(one))
    return found
