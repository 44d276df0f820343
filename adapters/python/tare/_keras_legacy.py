"""tf_keras, the Keras 2 that exists beside Keras 3: the same clocks, at its own places."""
from . import _frameworks, _keras, _probe, _registries
from ._clocks import BATCH

_latest = [None, 1]  # the id of the callbacks that were asked last, and their model's steps per execution


def _steps(callbacks):
    """They are in a TensorFlow variable, which is read once per fit."""
    if _latest[0] != id(callbacks):
        model = getattr(callbacks, "model", None)
        steps = getattr(model, "_steps_per_execution", None)
        number = int(steps.numpy()) if hasattr(steps, "numpy") else 1
        _latest[:] = [id(callbacks), max(1, min(number, _keras.MOST_STEPS))]
    return _latest[1]


def _batch_ended(instance):
    for _ in range(_steps(instance)):
        _probe.tick(BATCH)
    _registries.look()


def callbacks(module):
    """tf_keras.src.callbacks is there."""
    _keras.callback_list(module, _batch_ended)


def training(module):
    """tf_keras.src.engine.training is there."""
    _frameworks.on_call(module.Model, "make_train_function", _keras.train_function_wanted)
    _keras.model(module)


def optimizer(module):
    """tf_keras.src.optimizers.optimizer is there."""
    kind = module._BaseOptimizer  # pylint: disable=protected-access
    _frameworks.on_call(kind, "apply_gradients", _keras.Eager().applied)
