#!/usr/bin/env bash
# suite: long
# limit: 900
# Ten minutes of libFuzzer, shared by the readers and the verbs; no finding.
set -eu
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
exec fuzz/run 600
