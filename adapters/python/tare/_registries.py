"""What TensorFlow keeps for the whole process: two lengths, read at each tick of a clock.

Also the remedies that `tare run --try` applies between two models.
"""
import os
import sys

from . import _frameworks

_names = {"gradients": b"TensorFlow's gradient registry", "functions": b"functions of the default graph"}
_last = {}
_tried = os.environ.get("TARE_TRY_MODELS", "")


def _gradients():
    ops = sys.modules.get("tensorflow.python.framework.ops")
    registry = getattr(getattr(ops, "gradient_registry", None), "_registry", None)
    return registry if isinstance(registry, dict) else {}


def _functions():
    ops = sys.modules.get("tensorflow.python.framework.ops")
    stack = getattr(ops, "_default_graph_stack", None)
    graph = getattr(stack, "_global_default_graph", None)
    return getattr(graph, "_py_funcs_used_in_graph", ())


def look():
    """Reports the counts that have changed."""
    for name, count in (("gradients", len(_gradients())), ("functions", len(_functions()))):
        if _last.get(name) != count:
            _last[name] = count
            _frameworks.registry(_names[name], count)


def _clear_session():
    keras = sys.modules.get("keras")
    if keras is not None:
        keras.backend.clear_session()


def _drop_gradients():
    """The entries that were made while functions were traced; those of operations stay."""
    import gc  # pylint: disable=import-outside-toplevel
    registry = _gradients()
    for name in [name for name in registry if name.startswith("CustomGradient-")]:
        del registry[name]
    gc.collect()


def between_models():
    """A model is about to be made."""
    if "clear_session" in _tried:
        _clear_session()
    if "drop-gradient-registry" in _tried:
        _clear_session()
        _drop_gradients()
