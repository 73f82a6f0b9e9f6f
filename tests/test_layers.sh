#!/usr/bin/env bash
# tests/test_layers.sh [DIR]: what the compiler cannot see of the project's rules: who may include whom
# (one row an area, below), where kernel names may stand, how long files may be, and what no file may
# hold. Looks at every file of DIR (default: this project) that git tracks or would track, and prints
# FILE:LINE: REASON for each violation.
#
# Exit status: 0 none, 1 violations.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# An area's own row is the first whose path its files start with. Quoted names are prefixes of what may
# be included, from the project's root; angle names are headers other than the C library's. * is any.
#     area            quoted                                             angle
rules='
      core/base/      core/base/                                         -
      core/walker.h   core/base/                                         -
      core/host/      core/base/,core/host/                              xxhash.h
      core/native/    core/base/,core/walker.h,core/host/,core/native/   -
      core/linux/     *                                                  *
      core/           core/base/,core/walker.h,core/host/                -
      oracle/         core/base/,core/host/,oracle/                      xxhash.h
      fuzzers/        core/base/,core/walker.h,core/host/,core/native/,oracle/,fuzzers/  jansson.h
      tools/          core/base/,core/walker.h,core/host/,core/native/,oracle/,fuzzers/,tools/  xxhash.h,jansson.h
      tests/          core/base/,core/walker.h,core/host/,core/native/,oracle/,fuzzers/,tools/,tests/  cmocka.h,xxhash.h,jansson.h
'
lines_most=400	# a file's aim, and
lines_limit=450	# what it may never pass

violations=$(mktemp)
trap 'rm -f "$violations"' EXIT

# list_files: all files but those that git ignores; in a folder without git, all but build folders
list_files()
{
	git ls-files -co --exclude-standard 2>/dev/null ||
		find . -name .git -prune -o -path './build*' -prune -o -type f -print | sed 's,^\./,,'
}

# grep_files PATTERN REASON FILE...: reports each line that matches
grep_files()
{
	local pattern=$1 reason=$2

	shift 2
	[ $# -gt 0 ] || return 0
	{ grep -IHnE -e "$pattern" -- "$@" || true; } | cut -d : -f 1,2 | sed "s|\$|: $reason|" >>"$violations"
}

check_includes()
{
	[ $# -gt 0 ] || return 0
	awk -v rules="$rules" '
	BEGIN {
		rules_nr = split(rules, row, "\n")
		for (i = 1; i <= rules_nr; i++)
			if (split(row[i], column, " ") == 3) {
				area[++areas_nr] = column[1]
				quoted[areas_nr] = column[2]
				angle[areas_nr] = column[3]
			}
	}
	function allowed(name, list, whole,  i, n, item) {
		n = split(list, item, ",")
		for (i = 1; i <= n; i++)
			if (item[i] == "*" || name == item[i] || (!whole && index(name, item[i]) == 1))
				return 1
		return 0
	}
	# libc() - the C library and what comes with the compiler; kernel headers are neither
	function libc(name) {
		return name ~ /^[a-z0-9_]+\.h$/ && name !~ /^(xxhash|cmocka|jansson)\.h$/ ||
		       name ~ /^(sys|sanitizer)\/[a-z0-9_]+\.h$/
	}
	FNR == 1 {
		for (rule = 1; rule <= areas_nr && index(FILENAME, area[rule]) != 1; rule++)
			;
		known = rule <= areas_nr
		if (!known)
			printf "%s:1: stands in no area that include rules are known for\n", FILENAME
	}
	known && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
		name = $0
		sub(/^[^"<]*["<]/, "", name)
		sub(/[">].*/, "", name)
		is_angle = $0 ~ /^[^"]*</
		if (is_angle ? !libc(name) && !allowed(name, angle[rule], 1) : !allowed(name, quoted[rule], 0))
			printf "%s:%d: %s may not include %s\n", FILENAME, FNR, area[rule], name
	}' "$@" >>"$violations"
	# core/linux sees the tree and the machine; nothing that stands above them.
	mapfile -t below < <(printf '%s\n' "$@" | grep '^core/linux/')
	grep_files '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(oracle|fuzzers|tools|tests)/' \
		'core/linux/ may not include what stands above core/' "${below[@]}"
}

check_kernel_names()
{
	local above

	mapfile -t above < <(printf '%s\n' "$@" | grep -E '^(core/(base|host|native)|core/walker|oracle|fuzzers)')
	[ ${#above[@]} -gt 0 ] || return 0
	# Comments may speak of the kernel, and are cut off first.
	awk '
	FNR == 1 { comment = 0 }
	{
		line = $0
		if (comment && !sub(/^.*\*\//, "", line))
			next
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
		comment = sub(/\/\*.*/, "", line)
		if (match(line, /(phys_addr_t|dma_addr_t|gfp_t|struct (pt_iommu|iommu_[a-z_]+|folio|page|list_head))($|[^a-z0-9_])/))
			printf "%s:%d: kernel types stand in core/linux only: %s\n", FILENAME, FNR,
			       substr(line, RSTART, RLENGTH)
	}' "${above[@]}" >>"$violations"
}

check_length()
{
	local file lines

	for file in "$@"; do
		lines=$(wc -l <"$file")
		if [ "$lines" -gt "$lines_limit" ]; then
			echo "$file:$lines: $lines lines: more than $lines_limit" >>"$violations"
		elif [ "$lines" -gt "$lines_most" ]; then
			echo "$file:$lines: note: $lines lines, more than $lines_most: is it still one concept?"
		fi
	done
}

# The patterns below are spelt so that they do not find themselves.
check_words()
{
	local scripts

	grep_files '\b(TO[D]O|FIXM[E])\b|#[i]f 0|\bfor[ ]now\b' 'a loose end: finish it, or file an issue' "$@"
	grep_files '[a-z0-9-]+\.debian\.org|archive\.ubuntu\.com|registry\.npmjs\.|pypi\.org|pythonhosted\.org|crates\.io|proxy\.golang\.org|rubygems\.org|docker\.io' \
		'names a package host: addresses come from the machine that runs it' "$@"
	mapfile -t scripts < <(printf '%s\n' "$@" | grep -E '^(tools|tests|\.ci)/|(^|/)CMake|\.cmake$')
	grep_files '(https?|ftp):[/]/' 'a script may not hold an address' "${scripts[@]}"
}

mapfile -t files < <(list_files | grep -v '^corpus/' | while read -r file; do
	[ ! -f "$file" ] || echo "$file"
done)
mapfile -t code < <(printf '%s\n' "${files[@]}" | grep -E '\.(c|h)$')
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '\.(c|h|def|sh|cmake)$|^tools/|CMakeLists\.txt$')
[ ${#files[@]} -gt 0 ] || {
	echo "$PWD: no files: is this the project?"
	exit 1
}

check_includes "${code[@]}"
check_kernel_names "${code[@]}"
check_length "${sources[@]}"
check_words "${files[@]}"

sort -t : -k 1,1 -k 2,2n "$violations"
[ ! -s "$violations" ] || exit 1
echo "${#files[@]} files, ${#code[@]} of them C: no violation"
