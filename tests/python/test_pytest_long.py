#!/usr/bin/env python3
# suite: long
# limit: 3600
"""The plugin for pytest, 200 times each: no leaky body passes, no clean one fails."""
import os
import runpy
from pathlib import Path

os.environ["COUNT"] = "200"
runpy.run_path(str(Path(__file__).with_name("test_pytest.py")), run_name="__main__")
