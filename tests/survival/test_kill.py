#!/usr/bin/env python3
# suite: test
# limit: 240
"""SIGKILL at 20 random instants: every ledger readable, at most the last step missing."""
import kill

kill.main(20)
