#!/usr/bin/env python3
# suite: long
# limit: 1800
"""SIGKILL at 200 random instants: every ledger readable, at most the last step missing."""
import kill

kill.main(200)
