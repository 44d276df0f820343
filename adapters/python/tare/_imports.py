"""Notice that a module has been imported, without a trace.

A finder at the head of sys.meta_path knows a few names. For these it lets the following finders search, as
they would without it, and returns their result. Nothing of ours is on the stack while the module runs, so
tracebacks and the places of warnings stay the same: the import system itself sets `_initializing` in the
module's spec when it begins and ends, and the spec has a class of ours for that time, which notices it.
"""
import sys
from _frozen_importlib import ModuleSpec, module_from_spec
from _frozen_importlib_external import spec_from_file_location

from ._probe import loading as _loading

# What our modules need of each other: loaded first, so that no finder of the program is asked.
_NEEDED = {
    "_lines": ("_callers",),
    "_devices": ("_tensors",),
    "_torch": ("_forward", "_devices"),
    "_keras": ("_frameworks", "_callers", "_registries", "_torch"),
    "_keras_legacy": ("_frameworks", "_callers", "_registries", "_torch", "_keras"),
    "_tensorflow": ("_frameworks", "_callers", "_registries", "_changes"),
    "_jax": ("_frameworks", "_callers", "_changes"),
}

_hooks = {}  # name: our module and its function to call with the imported module


def run(name):
    """Calls the hook of an imported module. Our errors end here."""
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
    """Removes our directory from those that the program has searched."""
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
    """The finders after ours; those before it have been asked already."""
    places = [i for i, finder in enumerate(sys.meta_path) if finder is me]
    behind = sys.meta_path[places[0] + 1:] if places else []
    if not all(hasattr(finder, "find_spec") for finder in behind):
        return None  # a finder of the old kind: only the import system can ask it
    for finder in behind:
        spec = finder.find_spec(name, path, target)
        if spec is not None:
            return spec
    return None


class Finder:
    """Asks the other finders; itself it finds only the package `tare`, if no other finder does."""

    def __init__(self, package):
        self._package = package

    def find_spec(self, name, path=None, target=None):
        """As PEP 451 says. None: the import system continues with the next finder."""
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
    """Installs the finder. Modules that are already imported get their hook at once."""
    _hooks.update(hooks)
    sys.meta_path.insert(0, Finder(package))
    for name in hooks:
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if type(spec) is ModuleSpec and _is_initializing(spec):  # pylint: disable=unidiomatic-typecheck
            spec.__class__ = _Overheard
        elif name in sys.modules:
            run(name)
