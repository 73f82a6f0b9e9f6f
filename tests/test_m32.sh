#!/usr/bin/env bash
# tests/test_m32.sh PTFUZZ: harness, oracle and the tree's walker as 32-bit programs find nothing new.
#
# Exit status: 0, 1 something new or the build fails, 77 (skipped) PTFUZZ_TEST_TREE is not set, or the
# 32-bit C library, or an emulator where one is needed, is not to be had (in CI, where CI is set, that fails).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

[ -n "${PTFUZZ_TEST_TREE:-}" ] || {
	echo "skipped: PTFUZZ_TEST_TREE names no Linux tree"
	exit 77
}
status=0
PTFUZZ=$1 "$root/tests/build_m32.sh" "$PTFUZZ_TEST_TREE" m32 || status=$?
if [ "$status" = 77 ] && [ -n "${CI:-}" ]; then
	exit 1
fi
[ "$status" = 0 ] || exit "$status"
for width in 64 32; do
	m32/run "m32/walker-$width.so" 20000 1 "$root/corpus/known/linux-7.3.known"
done
