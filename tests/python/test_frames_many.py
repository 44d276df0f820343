#!/usr/bin/env python3
# suite: test
# limit: 900
"""The same with ten thousand stacks on each interpreter."""
import frames
import tare

tare.Cases().each(frames.cases(2000, seeds=range(2, 7)))
