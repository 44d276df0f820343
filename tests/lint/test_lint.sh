#!/bin/sh
# limit: 240
# suite: check
# The rules of the source: sizes, layers, names, leftovers.
exec "$ROOT/tools/lint.sh"
