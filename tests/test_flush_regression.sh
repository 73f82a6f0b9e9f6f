#!/usr/bin/env bash
# tests/test_flush_regression.sh PTFUZZ: the flush regression of 2026, planted again and found.
#
# Before commit 5815d9303c67 ("iommupt: Only cache flush memory changed by unmap") unmap flushed, at
# every level, from the first index that it visited to the last. That is planted in a copy of the
# tree's walker, made here: on it one unmap of a 4 KiB page flushes 4 lines, one a level, of which it
# wrote 1; on the tree as it is the same program is clean. A spot that is no longer found is a failure.
#
# Exit status: 0, 1 a test fails, 77 (skipped) PTFUZZ_TEST_TREE is not set.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ptfuzz=$1
tree=${PTFUZZ_TEST_TREE:-}
program=$root/corpus/regress/unmap-flushes-unwritten-lines.pt
planted=$PWD/planted

[ -n "$tree" ] || {
	echo "skipped: PTFUZZ_TEST_TREE names no Linux tree"
	exit 77
}
tree=$(realpath "$tree")

# fails REASON
fails()
{
	printf 'FAILED: %s\n' "$1"
	exit 1
}

# link_all FROM TO: links in folder TO to everything in folder FROM
link_all()
{
	mkdir -p "$2"
	find "$1" -mindepth 1 -maxdepth 1 -exec ln -sfn -t "$2" {} +
}

# plant FILE: the edit; the walker's text is matched, never stored
plant()
{
	sed -i -E '/ __unmap_range\(struct pt_range/,/^}/ {
		s/if \(flush_start_index != flush_end_index\)/if (true)/
		s/(flush_writes_range\(&pts, )flush_start_index, flush_end_index\)/\1start_index, pts.index)/
	}' "$1"
}

# A copy of drivers/iommu, links to the rest. Files keep their times, so that a second run builds nothing.
make_planted()
{
	local spot=generic_pt/iommu_pt.h lines

	rm -rf "$planted.new"
	link_all "$tree" "$planted.new"
	rm "$planted.new/drivers"
	link_all "$tree/drivers" "$planted.new/drivers"
	rm "$planted.new/drivers/iommu"
	cp -rpL "$tree/drivers/iommu" "$planted.new/drivers/iommu"
	plant "$planted.new/drivers/iommu/$spot"
	lines=$(diff "$tree/drivers/iommu/$spot" "$planted.new/drivers/iommu/$spot" | grep -c '^>') || true
	[ "$lines" -eq 2 ] ||
		fails "$tree/drivers/iommu/$spot: $lines lines match what is to be changed, want 2"
	if cmp -s "$planted.new/drivers/iommu/$spot" "$planted/drivers/iommu/$spot"; then
		touch -r "$planted/drivers/iommu/$spot" "$planted.new/drivers/iommu/$spot"
	fi
	rm -rf "$planted"
	mv "$planted.new" "$planted"
}

# replay TREE VARIANT STATUS: the violations, as JSON, in ./json
replay()
{
	local got=0

	"$ptfuzz" replay --json --linux "$1" --variant "$2" "$program" >json 2>stderr || got=$?
	[ "$got" -eq "$3" ] ||
		fails "$1, $2: status $got, want $3: $(cat json stderr)"
}

make_planted
for variant in x86 dma; do
	replay "$tree" "$variant" 0
	replay "$planted" "$variant" 1
	[ "$(grep -c '"signature"' json)" -eq 1 ] || fails "more than one violation: $(cat json)"
	for line in '"signature": "wasted-flush/unmap/vtdss/not-written"' \
		'"got": "4 lines flushed"' '"want": "1: only those written since their last flush"'; do
		grep -qF -e "$line" json || fails "$variant: want $line, got $(cat json)"
	done
done
echo "unmap of one page on the planted walker: 4 lines flushed, 1 of them written"
