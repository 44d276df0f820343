#!/bin/sh
# The short form of `make simulate`: the rules of the verdict keep their promises on fixed seeds.
# suite: test
# limit: 900
# alone: yes
exec "${BUILD:-$ROOT/build}/simulate" --runs 20 --long-runs 2 --directory "$SCRATCH"
