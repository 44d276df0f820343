#!/usr/bin/env python3
# suite: long
# limit: 14400
"""Python's own tests come out alike with and without the probe: all modules of the list, whole."""
from python_tests import MODULES, compare, tare

tare.Cases().each({module: lambda module=module: compare(module, timeout=1000)
                   for module in MODULES})
