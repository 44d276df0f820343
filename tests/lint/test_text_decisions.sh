#!/bin/sh
# limit: 60
# suite: check
# Code of the doctor that decides by display text is refused; data are told apart from it.
set -eu
tool=$ROOT/tools/text_decisions
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/bad.c" <<'END'
#define ENDLESS "never ended"
/* strcmp(a, "in a comment") is no call */
bool one(const char *held_by) { return strcmp(held_by, "the engine: never disposed") == 0; }
bool two(const char *held_by) { return strstr(held_by, ENDLESS) != NULL; }
bool three(const char *clock)
{
    return strncmp(clock,
                   "time", 4) == 0;
}
END
cat >"$dir/good.c" <<'END'
bool one(const char *a, const char *b) { return strcmp(a, b) == 0; }
bool two(const char *file) { return text_ends(file, ".py"); }
const char *three(const char *url) { return strstr(url, "://"); /* data: a URL */ }
const char *four(void) { return "strcmp(a, \"b\")"; }
END
if "$tool" "$dir/bad.c" >"$dir/out"; then
    echo "decisions on text were accepted" >&2
    exit 1
fi
found=$(sed -E 's/.*bad\.c:([0-9]+): (\w+) .*/\1 \2/' "$dir/out" | tr '\n' ';')
[ "$found" = "3 strcmp;4 strstr;7 strncmp;" ] || {
    cat "$dir/out" >&2
    exit 1
}
"$tool" "$dir/good.c"
"$tool"
