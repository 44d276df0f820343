#!/bin/sh
# The short form of `make simulate`: the rules of the verdict keep their promises on fixed seeds, and
# another value for a rule changes what is found.
# suite: test
# limit: 900
# alone: yes
simulate="${BUILD:-$ROOT/build}/simulate"
failed=0

# The goal for leak 1 is missed when no site can have survivors enough.
if "$simulate" --runs 1 --long-runs 0 --only "one per step, quiet class" --directory "$SCRATCH" \
    --rule SURVIVORS=1000000 --rule GROWN_TIMES=1000000 | grep -q '^FAILED leak-1-'; then
    echo "ok another-threshold-changes-what-is-found"
else
    echo "FAILED another-threshold-changes-what-is-found"
    failed=1
fi
for words in SURVIVORS NOSUCH=1 SURVIVORS=few SEGMENTS=4; do
    "$simulate" --rule "$words" >"$SCRATCH/said" 2>&1
    if [ $? -ne 2 ] || ! grep -q 'NAME=VALUE' "$SCRATCH/said"; then
        echo "FAILED $words-is-refused"
        failed=1
    fi
done
"$simulate" --runs 10 --long-runs 1 --directory "$SCRATCH" || failed=1
exit $failed
