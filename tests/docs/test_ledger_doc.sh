#!/usr/bin/env bash
# suite: check
# docs/internals/ledger.md is what the code says; `make docs` writes it.
set -eu
made=$(mktemp)
trap 'rm -f "$made"' EXIT
tools/ledger_doc.py >"$made"
diff -u docs/internals/ledger.md "$made"
