#!/usr/bin/env python3
# suite: check
# limit: 120
"""Reports of stored runs (short text, whole text, JSON), compared byte for byte with expected/.

`make bless` rewrites those; the diff is reviewed like code. docs/internals/testing.md says how runs are
recorded.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from golden import RUNNING, check  # noqa: E402
from tare import Cases  # noqa: E402

Cases().each({name: lambda name=name: check(name) for name in RUNNING})
