#!/usr/bin/env bash
# suite: check
# limit: 120
# The fuzz corpus of the readers and variants of it, replayed under the address and undefined-behaviour
# sanitizers.
set -eu
exec fuzz/run --replay $(ls fuzz/fuzz_*.c | sed -n "s/.*fuzz_\(.*\)\.c/\1/p" | grep -vx run)
