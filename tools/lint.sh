#!/usr/bin/env bash
# The rules of the source that a machine can count: sizes, layers, names, leftovers.
# Prints every breach as FILE:LINE: what; fails if there was one. `--format` also shows where
# clang-format would write it differently; that alone never fails.
set -u
cd "$(dirname "$0")/.." || exit 70
breaches=$(mktemp)
trap 'rm -f "$breaches"' EXIT
say() { printf '%s\n' "$*" | tee -a "$breaches"; }
gather() { tee -a "$breaches"; }

mapfile -t tracked < <(git ls-files --cached --others --exclude-standard | while read -r f; do
    [ -f "$f" ] && [ ! -L "$f" ] && echo "$f"; done)
select_files() { printf '%s\n' "${tracked[@]}" | grep -E "$1"; }
mapfile -t c_files < <(select_files '\.(c|h|cc|def)$')
scripts='tools/[a-z]+|tests/run|bench/(gpu/)?(run|overhead)'
mapfile -t sources < <(select_files "(\\.(c|h|cc|def|py|sh|js|mjs|cjs)|$scripts)\$")

# A file has one subject. At 500 lines ask yourself whether it has two; at 600 it is refused, except a
# specification of the format (layout*.h) and tables (.def). A function has at most 60 lines. A line aims
# at 100 columns and is refused beyond 110; tables may be wider: one fact, one line.
for file in "${sources[@]}"; do
    case $file in *.def | src/ledger/layout*.h) continue ;; esac
    lines=$(wc -l <"$file")
    [ "$lines" -le 600 ] || say "$file:$lines: a file has at most 600 lines"
done
# The body of a function is what lies between a brace alone in the first column and its partner.
awk 'FNR == 1 { start = 0 }
     /^\{$/ { start = FNR }
     /^\}/ && start { if (FNR - start - 1 > 60)
         printf "%s:%d: a function has at most 60 lines, this one %d\n", FILENAME, start, FNR - start - 1
         start = 0 }' "${c_files[@]}" | gather
select_files '\.(c|h|cc|py|sh)$' | LC_ALL=C.UTF-8 xargs grep -nP '^.{111,}$' |
    sed -E 's/:([0-9]+):.*/:\1: a line of more than 110 columns/' | gather
grep -nP '\t' "${c_files[@]}" | sed 's/:\([0-9]*\):.*/:\1: a tab/' | gather
grep -nE '[[:blank:]]+$' "${c_files[@]}" | sed 's/:\([0-9]*\):.*/:\1: blanks at the end/' | gather

# Layers: base <- ledger, snapshot <- doctor <- report <- live, run <- cli; base, ledger <- probe. Nothing
# points back.
declare -A may=(
    [base]='base' [ledger]='base ledger' [snapshot]='base snapshot'
    [doctor]='base ledger snapshot doctor'
    [report]='base ledger doctor report' [live]='base ledger doctor report live'
    [run]='base ledger doctor report run' [cli]='base ledger doctor report live run cli'
    [probe]='base ledger probe')
for layer in "${!may[@]}"; do
    [ -d "src/$layer" ] || continue
    while IFS=: read -r file line text; do
        target=$(sed -nE 's/.*#[[:space:]]*include[[:space:]]+"([^"]+)".*/\1/p' <<<"$text")
        case $target in
        */*) top=${target%%/*} ;;
        *) say "$file:$line: write \"$target\" from src/: \"$layer/$target\"" && continue ;;
        esac
        [[ " ${may[$layer]} tare " == *" $top "* ]] ||
            say "$file:$line: $layer may not look into $top"
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' "src/$layer" --include='*.[ch]')
done
for directory in src/*/; do
    name=$(basename "$directory")
    [ -n "${may[$name]-}" ] || say "$directory:1: a layer that tools/lint.sh does not know"
done

# Inside src/probe and src/doctor the rooms have an order; no includes in circles; no crowded folders.
tools/rooms | gather

# Plain English: tools/words lists the habits to avoid, and the folders where they are refused.
tools/wording | gather

# The probe is a guest: it never prints, exits, aborts, or calls the heap it watches.
if [ -d src/probe ]; then
    grep -nE '\b(printf|fprintf|puts|perror|abort|exit|assert|sigaction|signal)[[:space:]]*\(' \
        src/probe/*/*.c | grep -vE ':[[:space:]]*(/?\*|//|EXPORT )' |
        sed -E 's/:([0-9]+):(.*)/:\1: not in a guest: \2/' | gather
fi

# It does not translate, which takes the lock of setlocale, and calls no cancellation point.
grep -nE '\b(strerror|perror|gettext|setlocale)[[:space:]]*\(' \
    src/probe/*/*.c src/ledger/*.c src/base/*.c | grep -vE ':[[:space:]]*(/?\*|//)' |
    sed -E 's/:([0-9]+):(.*)/:\1: it translates: \2/' | gather
calls='open|openat|close|read|pread|write|pwrite|fsync|wait4|waitpid|nanosleep|usleep|poll'
grep -nE "(^|[^_[:alnum:]])($calls)[[:space:]]*\(" src/probe/*/*.c |
    grep -vE ':[[:space:]]*(/?\*|//|EXPORT )' |
    sed -E 's/:([0-9]+):(.*)/:\1: a cancellation point in a guest: \2/' | gather

# What the command line prints may be hostile: only speech.c makes it harmless. The other files print
# tables of tare itself.
prints='printf|puts|putchar|fprintf[[:space:]]*\(std|fputs[[:space:]]*\(.*std'
grep -nE "(^|[^_[:alnum:]])($prints)" src/run/*/*.c src/cli/*.c |
    grep -vE '^src/(run/output/speech|cli/(cmd_help|completion|manual))\.c:' |
    sed -E 's/:([0-9]+):(.*)/:\1: print it with speech_say or speech_print: \2/' | gather
# Only the process that started a program may say so: a ledger can name any file as its program.
grep -rnE 'started_here = true' src --include='*.c' | grep -vE '^src/(cli/cmd_run|run/output/finish)\.c:' |
    sed -E 's/:([0-9]+):.*/:\1: only `tare run` has started the program/' | gather

# No paths of one machine; no promise without an issue number.
grep -nE '(^|[^[:alnum:]_.$}/-])/(h[o]me|r[o]ot|w[o]rk|U[s]ers)/[[:alnum:]]' "${tracked[@]}" |
    sed -E 's/:([0-9]+):.*/:\1: the path of one machine/' | gather
grep -nE '\b(TOD[O]|FIXM[E]|XX[X])\b' "${sources[@]}" | grep -vE 'TOD[O] ?\(?#[0-9]+' |
    sed -E 's/:([0-9]+):.*/:\1: a promise without an issue number/' | gather

# The doctor decides by enums and numbers, not by displayed text.
tools/text_decisions | gather

# A test that is not executable would never run, without a message.
while read -r file; do
    [ -x "$file" ] || say "$file:1: a test must be executable"
done < <(select_files '^tests/[a-z_]+/test_[a-z0-9_]+\.(sh|py)$')

# What the probe exports is exactly what probe.map lists (of the last build, if there is one).
if [ -f build/libtare-probe.so ]; then
    tools/exports build/libtare-probe.so src/probe/entry/probe.map | gather
fi

if [ "${1-}" = --format ] && command -v clang-format >/dev/null; then
    select_files '^(src|include|tests|examples|bench|fuzz|corpus/native)/.*\.(c|h)$' |
        xargs clang-format --dry-run 2>&1 | grep -E 'warning:' | sed 's/ warning: code should be/ note:/'
fi

[ ! -s "$breaches" ]
