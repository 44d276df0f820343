"""Learn that a module has been imported, and leave no trace of it.

A finder at the head of sys.meta_path knows a few names. Asked for one, it has the finders behind it
search, as they would have without it, and gives their answer on. Nothing of ours is on the stack while
the module runs, so that tracebacks and the places of warnings stay as they are: the import system
itself says in the module's spec when it begins and when it is done (`_initializing`), and that word
is overheard by a class that the spec has for so long.
"""
import sys
from _frozen_importlib import ModuleSpec, module_from_spec
from _frozen_importlib_external import spec_from_file_location

from ._probe import loading as _loading

# What our modules need of each other: loaded first, so that nobody is asked for it.
_NEEDED = {
    "_lines": ("_callers",),
    "_torch": ("_forward",),
    "_keras": ("_frameworks", "_callers", "_registries", "_torch"),
    "_keras_legacy": ("_frameworks", "_callers", "_registries", "_torch", "_keras"),
    "_tensorflow": ("_frameworks", "_callers", "_registries", "_changes"),
    "_jax": ("_frameworks", "_callers", "_changes"),
}

_hooks = {}  # name: our module and its function to call with the module, once that is there


def run(name):
    """Calls the hook of a module that is there. Our errors end here."""
    try:
        module, function = _hooks[name]
        getattr(load(module), function)(sys.modules[name])
    except Exception:  # pylint: disable=broad-except
        pass


def load(name):
    """A module of this package, without asking the program's own finders for it."""
    whole = __package__ + "." + name
    if whole not in sys.modules:
        for other in _NEEDED.get(name, ()):
            load(other)
        spec = spec_from_file_location(whole, __file__.rpartition("/")[0] + "/" + name + ".py")
        sys.modules[whole] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[whole])
    return sys.modules[whole]


def forget():
    """Our directory is not among those that the program has searched."""
    sys.path_importer_cache.pop(__file__.rpartition("/")[0], None)


def _is_initializing(spec):
    return spec.__dict__.get("_initializing", False)


def _set_initializing(spec, value):
    spec.__dict__["_initializing"] = value
    if not value:
        spec.__class__ = ModuleSpec
        if spec.name in sys.modules:
            run(spec.name)


_Overheard = type("ModuleSpec", (ModuleSpec,), {
    "__module__": ModuleSpec.__module__,
    "_initializing": property(_is_initializing, _set_initializing),
})


def _ask_behind(me, name, path, target):
    """Those before us have been asked already, or we would not be."""
    places = [i for i, finder in enumerate(sys.meta_path) if finder is me]
    behind = sys.meta_path[places[0] + 1:] if places else []
    if not all(hasattr(finder, "find_spec") for finder in behind):
        return None  # one is of the old kind: the import system knows how to ask it
    for finder in behind:
        spec = finder.find_spec(name, path, target)
        if spec is not None:
            return spec
    return None


class Finder:
    """Asks the others; of itself it finds only the package `tare`, when nobody else does."""

    def __init__(self, package):
        self._package = package

    def find_spec(self, name, path=None, target=None):
        """As PEP 451 says. None: the import system goes on with the next finder."""
        _loading()
        if name == "tare":
            return _ask_behind(self, name, path, target) or self._own()
        if name not in _hooks:
            return None
        spec = _ask_behind(self, name, path, target)
        if type(spec) is ModuleSpec:  # pylint: disable=unidiomatic-typecheck
            spec.__class__ = _Overheard
        return spec

    def _own(self):
        return spec_from_file_location("tare", self._package + "/__init__.py",
                                       submodule_search_locations=[self._package])


def watch(package, hooks):
    """From now on. A module that is there already is not waited for."""
    _hooks.update(hooks)
    sys.meta_path.insert(0, Finder(package))
    for name in hooks:
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if type(spec) is ModuleSpec and _is_initializing(spec):  # pylint: disable=unidiomatic-typecheck
            spec.__class__ = _Overheard
        elif name in sys.modules:
            run(name)
