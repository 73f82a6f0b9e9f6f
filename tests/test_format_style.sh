#!/usr/bin/env bash
# Every .c and .h file stands as .clang-format says; .def lists are tables, laid out by hand.
#
# Exit status: 0, 1 some file does not, 77 (skipped) there is no clang-format.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v clang-format >/dev/null || {
	echo "skipped: there is no clang-format on this machine"
	exit 77
}
mapfile -t files < <({ git ls-files -co --exclude-standard 2>/dev/null ||
	find core oracle fuzzers tools tests -type f; } | grep -E '\.(c|h)$' | while read -r file; do
	[ ! -f "$file" ] || echo "$file"
done)
[ ${#files[@]} -gt 0 ] || {
	echo "$PWD: no C files: is this the project?"
	exit 1
}
clang-format --dry-run -Werror -- "${files[@]}" || {
	echo "clang-format -i FILE mends it"
	exit 1
}
echo "${#files[@]} files stand as .clang-format says"
