#!/usr/bin/env python3
# suite: long
# limit: 1800
"""The programs of test_node.py with newer versions of Node, and packages that are used less often."""
from node_programs import common, rarer, tare
from node_case import node, version

tare.Cases().each({
    **rarer(node()),
    **{f"{name}_in_node_{number}": case for number in ("22", "24")
       for name, case in common(version(number)).items()},
})
