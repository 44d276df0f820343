#!/usr/bin/env python3
# suite: test
# limit: 900
"""The same with ten thousand stacks on each interpreter."""
import frames
import tare

tare.Cases().each(frames.cases(10000, seed=2))
