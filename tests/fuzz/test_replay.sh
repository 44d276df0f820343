#!/usr/bin/env bash
# suite: check
# limit: 120
# The fuzz corpus and variants of it, replayed under the address and undefined-behaviour sanitizers.
set -eu
exec fuzz/run --replay
