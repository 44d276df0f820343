#!/usr/bin/env python3
# suite: test
# limit: 400
"""Programs that use Node's most popular packages say and return the same with and without tare."""
from node_programs import common, tare
from node_case import node

tare.Cases().each(common(node()))
