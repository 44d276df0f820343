#!/usr/bin/env python3
# suite: test
# limit: 400
"""NumPy's own tests come out alike with and without the probe: a selection of a minute."""
from numpy_tests import LEAST, SHORT, compare, tare

tare.Cases().each({"short": lambda: compare(SHORT, LEAST["short"], 150)})
