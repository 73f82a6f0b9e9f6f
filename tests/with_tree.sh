#!/usr/bin/env bash
# tests/with_tree.sh PTFUZZ walkers|build COMMAND [ARGUMENT...]
#
# Runs COMMAND on the walker of the Linux tree in $PTFUZZ_TEST_TREE, built as PTFUZZ does it. What is
# added to its arguments: with `walkers` the shared objects x86, dma and debug; with `build` the tree and
# the folder that the walker is built in.
#
# Exit status: the command's, 77 (skipped) when PTFUZZ_TEST_TREE is not set.
set -euo pipefail

[ -n "${PTFUZZ_TEST_TREE:-}" ] || {
	echo "skipped: PTFUZZ_TEST_TREE names no Linux tree"
	exit 77
}
ptfuzz=$1 what=$2
shift 2
objects=()
for variant in x86 dma debug; do
	objects+=("$("$ptfuzz" walker-path --linux "$PTFUZZ_TEST_TREE" --variant "$variant")")
done
case $what in
walkers) exec "$@" "${objects[@]}" ;;
build) exec "$@" "$PTFUZZ_TEST_TREE" "$(dirname "${objects[0]}")" ;;
*)
	echo "with_tree.sh: $what: it is walkers or build" >&2
	exit 2
	;;
esac
