#!/usr/bin/env python3
# suite: long
# limit: 7200
"""200 searches for holders in each of ten programs whose pool threads are at work: all end, and right."""
import search

search.main(search.PROGRAMS, 200)
