"""What the tests with real PyTorch share: its virtual environment, and a training run in it.

The first run makes build/venv-pytorch, which takes a download and some minutes.
"""
from python_case import environments, folder, greeted, root, tare

HEAD = """
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
def network(*sizes):
    layers = []
    for one, other in zip(sizes, sizes[1:]):
        layers += [nn.Linear(one, other), nn.ReLU()]
    return nn.Sequential(*layers[:-1])
"""


def torch_python():
    """The interpreter of the corpus's own environment for PyTorch, made once."""
    return environments.ready("pytorch")


def train(text, **replaced):
    for word, value in replaced.items():
        text = text.replace(word, value)
    run = tare.traced([torch_python(), folder(train=text) / "train.py"], timeout=300)
    assert run.status == 0 and run.err == b"", run.err.decode()
    assert greeted(root(run)), root(run)["notes"]
    return run
