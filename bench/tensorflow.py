"""Training loops of TensorFlow, Keras and JAX, beside other memory profilers."""
import subprocess

import python
from native import ROOT

PEERS = ("memray", "Scalene", "tracemalloc")
COMPARISONS = tuple(("plain", way) for way in ("tare", *PEERS))

BENCHES = {
    "Keras fit": (("keras_fit.py", "10000"), {"tare": 1.03}, {}),
    "tf.function": (("graph_step.py", "20000"), {"tare": 1.03}, {}),
    "eager tape": (("tape_step.py", "500"), {"tare": 1.05}, {}),
    "jax.jit": (("jit_step.py", "20000"), {"tare": 1.03}, {}),
}


def interpreter():
    return ROOT / "build" / "venv-bench-tensorflow" / "bin" / "python"


def prepare():
    subprocess.run([ROOT / "tools" / "venv", "bench-tensorflow",
                    python.HERE / "requirements-tensorflow.txt"], check=True)


def ways(scratch):
    return python.ways(scratch, interpreter())


def command(words, quick):
    return python.command(words, quick, interpreter())
