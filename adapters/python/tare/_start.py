"""The start of the interpreter: say hello to the probe, and wait for frameworks."""
import atexit
import sys

from . import _imports, _probe


HOOKS = {
    "torch": ("_devices", "torch"),
    "cupy.cuda.memory_hook": ("_devices", "cupy_pool"),
    "torch.optim.optimizer": ("_torch", "optimizer"),
    "torch.autograd.variable": ("_torch", "variable"),
    "torch.utils.data.dataloader": ("_torch", "dataloader"),
    "torch.nn.modules.module": ("_forward", "module"),
    "torch._dynamo.eval_frame": ("_forward", "stop"),
    "keras.src.callbacks.callback_list": ("_keras", "callback_list"),
    "keras.src.backend.tensorflow.trainer": ("_keras", "trainer"),
    "keras.src.optimizers.base_optimizer": ("_keras", "base_optimizer"),
    "keras.src.models.model": ("_keras", "model"),
    "tf_keras.src.callbacks": ("_keras_legacy", "callbacks"),
    "tf_keras.src.engine.training": ("_keras_legacy", "training"),
    "tf_keras.src.optimizers.optimizer": ("_keras_legacy", "optimizer"),
    "tensorflow.python.eager.context": ("_tensorflow", "context"),
    "tensorflow.python.framework.ops": ("_tensorflow", "ops"),
    "tensorflow.python.data.ops.iterator_ops": ("_tensorflow", "iterator_ops"),
    "tensorflow.core.function.polymorphism.function_cache": ("_tensorflow", "function_cache"),
    "jax._src.monitoring": ("_jax", "monitoring"),
    "jax._src.pjit": ("_jax", "jitted"),
    "gunicorn.http.wsgi": ("_servers", "gunicorn"),
    "uvicorn.protocols.http.h11_impl": ("_servers", "uvicorn"),
    "uvicorn.protocols.http.httptools_impl": ("_servers", "uvicorn"),
    "http.server": ("_servers", "http_server"),
}


def _measure_lines():
    """What `tare lines --function …` names. Our errors end here."""
    try:
        import posix  # pylint: disable=import-error,import-outside-toplevel
        if posix.environ.get(b"TARE_LINES"):
            _imports.load("_lines").start()
    except Exception:  # pylint: disable=broad-except
        pass


def _end():
    devices = sys.modules.get(__name__.rpartition(".")[0] + "._devices")
    if devices is not None:
        devices.end()
    _probe.end()


def start(package):
    """Nothing at all where the probe is not in the process."""
    if not _probe.present:
        return
    _imports.watch(package, HOOKS)
    atexit.register(_end)  # the first to be registered is the last to run
    _probe.hello(_probe.text("python %d.%d.%d: adapter loaded" % sys.version_info[:3]))
    _measure_lines()
    _imports.forget()
