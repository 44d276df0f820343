"""Ends while threads of its own are in C code, allocating, without the interpreter's lock."""
import ctypes
import threading
import time

libc = ctypes.CDLL(None)
libc.asprintf.restype = ctypes.c_int


def work():
    text = ctypes.c_void_p()
    while True:
        libc.asprintf(ctypes.byref(text), b"%0900d", 1)
        libc.free(text)


for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.02)
