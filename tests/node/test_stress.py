#!/usr/bin/env python3
# suite: test
# limit: 240
"""Allocation, collections, workers and V8's stack asked for at every buffer, for some seconds."""
from node_case import VERSIONS, tare
from stressed import is_stressed

tare.Cases().each({f"node_{v}": is_stressed(v, 3) for v in VERSIONS})
