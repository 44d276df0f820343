#!/usr/bin/env bash
# suite: test
# limit: 900
# The same for whole runs: every verb that reads one, on hostile ones. All of the doctor is compiled for it.
set -eu
exec fuzz/run --replay run
