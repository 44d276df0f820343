"""Keeps a buffer at every step, by a chain of calls whose names the exports must show."""
import ctypes
import sys

kept = []
marks = ctypes.CDLL(None)


class Marks(ctypes.Structure):
    _fields_ = [("step", ctypes.CFUNCTYPE(None, ctypes.c_uint64))]


def step(number):
    """What tare/mark.h does, where the probe is there."""
    try:
        Marks.in_dll(marks, "tare_marks_v1").step(number)
    except ValueError:
        pass


def make_buffer(size):
    return bytearray(size)


def remember(size):
    kept.append(make_buffer(size))


for number in range(int(sys.argv[1])):
    step(number)
    remember(40_000)
