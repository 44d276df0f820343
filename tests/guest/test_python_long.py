#!/usr/bin/env python3
# suite: long
# limit: 3600
"""Python's own tests come out alike with and without the probe: these seven files, whole."""
from python_tests import compare, tare

tare.Cases().each({module: lambda module=module: compare(module, timeout=1000) for module in (
    "test_mmap", "test_os", "test_ctypes", "test_threading", "test_signal", "test_subprocess",
    "test_multiprocessing_fork")})
