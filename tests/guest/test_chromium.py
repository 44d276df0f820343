#!/usr/bin/env python3
# suite: test
# limit: 240
"""Real Chromium with its sandbox starts under tare, five times of five."""
import chromium

chromium.tare.Cases().each({"sandboxed_5_of_5": lambda: chromium.starts(5)})
