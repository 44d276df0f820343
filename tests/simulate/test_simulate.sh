#!/bin/sh
# The short form of `make simulate`: the rules of the verdict keep their promises on fixed seeds.
# suite: test
# limit: 900
# alone: yes
exec "${BUILD:-$ROOT/build}/simulate" --runs 10 --long-runs 1 --directory "$SCRATCH"
