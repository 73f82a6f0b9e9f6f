#!/usr/bin/env bash
# tests/test_rules_md.sh RULES_MD FILE
#
# docs/rules.md (FILE) is what RULES_MD prints.
set -euo pipefail

made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$1" >"$made"
cmp -s "$made" "$2" || {
	diff -u "$2" "$made" | head -40 || true
	echo "$2 is stale; make it again: $1 > $2"
	exit 1
}
