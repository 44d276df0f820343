#!/usr/bin/env python3
# suite: long
# limit: 900
"""Real Chromium with its sandbox starts under tare, twenty times of twenty."""
import chromium

chromium.tare.Cases().each({"sandboxed_20_of_20": lambda: chromium.starts(20)})
