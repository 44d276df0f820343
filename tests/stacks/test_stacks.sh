#!/bin/bash
# limit: 180
# Stacks of all kinds, by every compiler and with every kind of frame, against backtrace() and dladdr().
# With an argument: the warm cost per frame instead.
set -eu
ROOT=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
SCRATCH=${SCRATCH:-$(mktemp -d)}
here=$ROOT/tests/stacks
flags="-std=gnu11 -D_GNU_SOURCE -g -I$ROOT/src -I$here -Wall -Wextra"
mkdir -p "$SCRATCH/probe"

probe=()
for source in "$ROOT"/src/probe/unwind/{stack_native,modules,module_place,module_elf,module_snapshot}.c \
    "$ROOT"/src/probe/core/{stack_bounds,self_memory,symbol}.c "$ROOT"/src/probe/unwind/{eh_,row_}*_pure.c \
    "$ROOT"/src/ledger/{writer,pieces}.c "$ROOT"/src/base/err.c "$here/witness.c"; do
    object=$SCRATCH/probe/$(basename "$source" .c).o
    gcc $flags -O2 -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector \
        -fno-omit-frame-pointer -c -o "$object" "$source"
    probe+=("$object")
done
gcc $flags -O2 -shared -fPIC -DPLUGIN_SIZE=40 -o "$SCRATCH/plugin_a.so" "$here/plugin.c"
gcc $flags -O2 -shared -fPIC -DPLUGIN_SIZE=400 -o "$SCRATCH/plugin_b.so" "$here/plugin.c"

# $1 name, $2 compiler, $3 optimisation, $4 frame pointer, the rest for the linker
build() {
    local out=$SCRATCH/$1 cxx=g++ bare=
    [ "$2" = clang ] && cxx=clang++
    [ "$4" = -fno-omit-frame-pointer ] && bare=-DBARE_HAS_FRAME_POINTER
    mkdir -p "$out/run"
    "$2" $flags "$3" "$4" $bare -c -o "$out/stacks.o" "$here/stacks.c"
    "$2" $flags "$3" "$4" -c -o "$out/modules.o" "$here/modules.c"
    "$2" $flags "$3" "$4" -c -o "$out/shapes.o" "$here/shapes.c"
    "$2" $flags "$3" "$4" -fno-asynchronous-unwind-tables -fno-unwind-tables -g0 -c \
        -o "$out/bare.o" "$here/bare.c"
    "$cxx" -g -I"$here" "$3" "$4" -c -o "$out/thrown.o" "$here/thrown.cc"
    "$cxx" -rdynamic -o "$out/stacks" "$out"/*.o "${probe[@]}" -pthread -ldl "${@:5}"
    ln -sf "$SCRATCH"/plugin_*.so "$out/run"
}

status=0
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || { echo "skipped $compiler: not installed"; continue; }
    for optimisation in -O0 -O2; do
        for frame in -fomit-frame-pointer -fno-omit-frame-pointer; do
            name=$compiler$optimisation$frame
            build "$name" "$compiler" "$optimisation" "$frame"
            "$SCRATCH/$name/stacks" "$SCRATCH/$name/run" "$name" "$@" || status=1
        done
    done
done
# An executable with holes between its segments.
build gcc-holes gcc -O2 -fomit-frame-pointer -no-pie -Wl,-z,max-page-size=0x200000
"$SCRATCH/gcc-holes/stacks" "$SCRATCH/gcc-holes/run" gcc-holes "$@" || status=1
exit $status
