"""Python loads this at its start, because `tare run` has put its directory first in PYTHONPATH.

It takes that directory out of sys.path again, loads tare's adapter where the probe is in the
process, and then the sitecustomize that it hides, if there is one. What goes wrong on our side is
swallowed; what goes wrong in the hidden module is its own affair, as it would be without us.
Every Python since 2.7 can read this file: an interpreter that the adapter does not know must still
find the hidden module.
"""
import sys


def _load_adapter(directory):
    # What importlib.util would give, without the milliseconds of importing it.
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


# Under another name the probe has run this file, where Python was told not to look for it: it calls
# _hide and _load_adapter itself.
if __name__ == "sitecustomize":
    try:
        _begin()
    except Exception:  # pylint: disable=broad-except
        pass

    # From here on the import goes as it would have gone without us: the hidden module takes this
    # one's place, or there is none and `site` is told so.
    _kept = sys.modules.pop(__name__, None)  # Python 2 empties a module that nobody holds
    import sitecustomize  # noqa: F401 pylint: disable=import-self
