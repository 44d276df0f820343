"""Bodies for the plugin's test: the file is copied as test_bodies.py and run by pytest."""
import os

import pytest

COUNT = int(os.environ.get("COUNT", "10"))
kept = []
cache = {}


@pytest.fixture
def size():
    return 4000


@pytest.mark.tare(max_growth="1KB/step", steps=50)
@pytest.mark.parametrize("number", range(COUNT))
def test_leaky(number, size):
    kept.append(bytearray(size))


@pytest.mark.tare(max_growth="1KB/step", steps=50)
@pytest.mark.parametrize("number", range(COUNT))
def test_clean(number, size):
    kept[:] = [bytearray(size) for _ in range(3)]
    cache[number % 7] = {word: str(word) * 50 for word in range(100)}


@pytest.mark.tare(max_growth="1KB/step", steps=50)
@pytest.mark.parametrize("number", range(COUNT))
def test_cycles(number, size):
    """Garbage that waits for the collector is no leak."""
    ring = {"block": bytearray(size)}
    ring["self"] = ring


@pytest.mark.tare(max_growth="64KB/step")
def test_within_its_limit(size):
    kept.append(bytearray(size))


@pytest.mark.tare(max_growth="1KB/step", steps=8)
def test_runs_more_steps_when_few_do_not_decide(size):
    kept.append(bytearray(size))


@pytest.mark.tare
def test_raises():
    assert kept is None, "the body is wrong"


@pytest.mark.tare
def test_ends_by_itself():
    os._exit(3)


@pytest.mark.tare(max_grouth="1KB/step")
def test_misspelt():
    pass


def test_unmarked_bodies_run_once():
    kept.append(1)
    assert kept.count(1) == 1
