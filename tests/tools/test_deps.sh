#!/bin/sh
# suite: check
# tools/deps does nothing if nothing is missing, and prints the command to type if the user is not root.
set -u
deps=$ROOT/tools/deps
failed=0
case_is() { # NAME, then the verdict of the last test
    if [ "$2" = 0 ]; then echo "ok $1"; else echo "FAILED $1" && failed=1; fi
}

# A machine made for the test: packages by name, the user is not root, apt-get must not be called.
mkdir "$SCRATCH/bin"
for tool in sh printf cat command test; do
    path=$(command -v $tool) && [ -x "$path" ] && ln -s "$path" "$SCRATCH/bin/$tool"
done
printf '#!/bin/sh\necho 1000\n' >"$SCRATCH/bin/id"
printf '#!/bin/sh\nexit 99\n' >"$SCRATCH/bin/apt-get"
printf '#!/bin/sh\ncat "%s/installed"\n' "$SCRATCH" >"$SCRATCH/bin/dpkg-query"
chmod +x "$SCRATCH/bin/id" "$SCRATCH/bin/apt-get" "$SCRATCH/bin/dpkg-query"
ask() { PATH=$SCRATCH/bin "$SCRATCH/bin/sh" "$deps" "$@" >"$SCRATCH/out" 2>&1; }

: >"$SCRATCH/installed"
ask --build
[ $? = 1 ] && grep -q 'sudo apt-get install -y .*libdw-dev' "$SCRATCH/out"
case_is says_what_to_type $?

for package in gcc g++ make binutils libc6-dev libdw-dev libelf-dev zlib1g-dev python3 \
    bsdextrautils; do
    printf '%s:installed ' $package >>"$SCRATCH/installed"
done
ask --build
[ $? = 0 ] && grep -q 'npm' "$SCRATCH/out" && ! grep -q 'valgrind' "$SCRATCH/out"
case_is the_page_is_optional $?

printf 'nodejs:installed npm:installed libncurses-dev:installed ' >>"$SCRATCH/installed"
ask --build && [ ! -s "$SCRATCH/out" ]
case_is silent_when_all_is_there $?

ask
[ $? = 0 ] && grep -q 'valgrind' "$SCRATCH/out" && ! grep -q 'libdw-dev' "$SCRATCH/out"
case_is tests_are_optional $?

sed -i 's/libdw-dev:installed/libdw-dev:config-files/' "$SCRATCH/installed"
ask --build
[ $? = 1 ] && grep -q 'libdw-dev' "$SCRATCH/out" && ! grep -q 'libelf-dev' "$SCRATCH/out"
case_is a_removed_package_is_missing $?

ask --nonsense
[ $? = 2 ]
case_is usage $?
exit $failed
