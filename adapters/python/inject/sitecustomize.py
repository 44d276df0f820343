"""Python loads this at its start, because `tare run` has put its directory first in PYTHONPATH.

It removes that directory from sys.path, loads tare's adapter if the probe is in the process, and then
the sitecustomize that it hides, if there is one. Our errors are swallowed; errors of the hidden module
have the effect that they have without us. Every Python since 2.7 can read this file: an interpreter
that the adapter does not know must still find the hidden module.
"""
import sys


def _load_adapter(directory):
    # The same as importlib.util gives, without the milliseconds of importing it.
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import spec_from_file_location

    spec = spec_from_file_location("_tare", directory + "/__init__.py",
                                   submodule_search_locations=[directory])
    package = module_from_spec(spec)
    sys.modules["_tare"] = package
    spec.loader.exec_module(package)
    from _tare import _start
    _start.start(directory)


def _hide(here):
    if here in sys.path:
        sys.path.remove(here)
    sys.path_importer_cache.pop(here, None)


def _begin():
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    _hide(here)
    if sys.version_info >= (3, 6) and sys.implementation.name == "cpython" and \
            "TARE_DIR" in os.environ:
        _load_adapter(os.path.join(os.path.dirname(here), "tare"))


# Under another name the probe runs this file, where Python does not search PYTHONPATH: it then calls
# _hide and _load_adapter itself.
if __name__ == "sitecustomize":
    try:
        _begin()
    except Exception:  # pylint: disable=broad-except
        pass

    # From here on the import continues as without us: the hidden module replaces this one, or there is
    # none and `site` gets the ImportError.
    _kept = sys.modules.pop(__name__, None)  # Python 2 empties a module without references
    import sitecustomize  # noqa: F401 pylint: disable=import-self
