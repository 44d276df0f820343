#!/usr/bin/env python3
# suite: long
# limit: 2400
"""NumPy's own tests come out alike with and without the probe: more than 5,000 of them."""
from numpy_tests import LEAST, WHOLE, compare, tare

tare.Cases().each({"whole": lambda: compare(WHOLE, LEAST["whole"], 1000)})
