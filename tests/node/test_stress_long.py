#!/usr/bin/env python3
# suite: long
# limit: 5400
"""The same for ten minutes with each version of Node."""
from node_case import VERSIONS, tare
from stressed import is_stressed

tare.Cases().each({f"node_{v}": is_stressed(v, 600) for v in VERSIONS})
