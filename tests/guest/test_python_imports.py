#!/usr/bin/env python3
# suite: test
# limit: 300
"""Python's own tests of imports, start-up and tracebacks: where the adapter would show first."""
from python_tests import compare, tare

MODULES = ("test_import", "test_importlib", "test_site", "test_cmd_line", "test_runpy", "test_sys",
           "test_audit", "test_warnings", "test_traceback", "test_pkgutil")

tare.Cases().each({module: lambda module=module: compare(module) for module in MODULES})
