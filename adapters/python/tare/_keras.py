"""Keras 3: a training batch of fit() ends when the callbacks are told so."""
from . import _probe
from ._clocks import BATCH


class _Told:  # pylint: disable=too-few-public-methods
    """The method, which is looked up once for each call of it."""

    def __init__(self, function):
        self._function = function

    def __get__(self, instance, owner=None):
        if instance is not None:
            _probe.tick(BATCH)
        return self._function.__get__(instance, owner)


def callback_list(module):
    """keras.src.callbacks.callback_list is there."""
    kind = module.CallbackList
    kind.on_train_batch_end = _Told(kind.__dict__["on_train_batch_end"])
