#!/usr/bin/env bash
# tests/test_bench.sh PTFUZZ: the counts of `ptfuzz bench` are exact: the embedded walker and the tree's
# each flush one line for every 8 pages that an unmap of 256 writes, and two runs count the same. Times
# are not looked at.
#
# Exit status: 0, 1 a test fails, 77 (skipped) PTFUZZ_TEST_TREE is not set.
set -euo pipefail
ptfuzz=$1
tree=${PTFUZZ_TEST_TREE:-}

[ -n "$tree" ] || {
	echo "skipped: PTFUZZ_TEST_TREE names no Linux tree"
	exit 77
}

# counts: the rows without their times
counts()
{
	"$ptfuzz" bench --linux "$tree" --format vtdss |
		awk '$2 == "inc" || $2 == "coh" { print $1, $2, $3, $4, $8, $9, $10, $11, $15, $16, $17, $18 }'
}

counts >first
counts >second
diff first second || {
	echo "FAILED: two runs count differently"
	exit 1
}
for row in "inc 256x4K unmap 32 256 259 0 32 256 259 0" "inc 256x2M map 32 256 258 0 32 256 258 0" \
	"inc 4K unmap 1 1 4 0 1 1 4 0" "coh 256x4K unmap 0 256 259 0 0 256 259 0"; do
	grep -qxF "vtdss $row" first || {
		printf 'FAILED: want "vtdss %s", got\n%s\n' "$row" "$(cat first)"
		exit 1
	}
done
echo "$(wc -l <first) rows, the same counts twice"
