#!/usr/bin/env python3
# suite: test
# limit: 600
"""Python's own tests come out alike with and without the probe: a selection of a few minutes."""
from python_tests import compare, tare

tare.Cases().each({
    "test_mmap": lambda: compare("test_mmap"),
    "test_os": lambda: compare("test_os"),
    "test_ctypes": lambda: compare("test_ctypes"),
    "test_threading": lambda: compare("test_threading"),
    "test_signal": lambda: compare("test_signal"),
    "test_subprocess": lambda: compare("test_subprocess"),
    "test_multiprocessing_fork": lambda: compare(
        "test_multiprocessing_fork", ["*WithProcessesTestProcess*", "*WithProcessesTestQueue*",
                                      "*WithProcessesTestValue*", "*WithProcessesTestLock*"]),
    "test_multiprocessing_spawn": lambda: compare(
        "test_multiprocessing_spawn", ["*WithProcessesTestQueue.test_qsize",
                                       "*WithProcessesTestConnection*"]),
    "test_asyncio": lambda: compare("test_asyncio", ["*BaseEventLoopTests*", "*Gather*"]),
    "test_concurrent_futures": lambda: compare("test_concurrent_futures", ["*ThreadPool*Map*"]),
    **{module: lambda module=module: compare(module) for module in (
        "test_gc", "test_weakref", "test_generators", "test_coroutines", "test_sys_settrace",
        "test_frame", "test_tracemalloc", "test_functools", "test_atexit", "test_threading_local")},
})
