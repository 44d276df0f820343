"""The caller: the first frame that does not belong to a library. The doctor has the same rule."""
from sys import _getframe

_LIBRARIES = ("/site-packages/", "/dist-packages/", "/torchinductor_", "/__autograph_generated_file",
              "/python/tare/", "/python/inject/sitecustomize.py", "/lib/python3", "/lib64/python3")


def is_library(file):
    """By its path alone."""
    return file.startswith("<frozen") or any(part in file for part in _LIBRARIES)


def frames(depth=1):
    """Innermost first, beginning with the caller's caller."""
    frame = _getframe(depth + 1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def user_place(depth=1):
    """(file, line) of the first frame of the program itself; ("", 0): there is none."""
    for frame in frames(depth + 1):
        if not is_library(frame.f_code.co_filename):
            return frame.f_code.co_filename, frame.f_lineno
    return "", 0
