#!/usr/bin/env python3
# suite: test
# limit: 400
"""Some searches for holders in programs of three frameworks whose pool threads are at work."""
from search import main

main(("torch_two", "tf_thread", "jax_1200"), 3)
