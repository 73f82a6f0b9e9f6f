#!/usr/bin/env bash
# tests/test_replay.sh PTFUZZ REPLAY_TEN OBJECTS: `ptfuzz replay` on a real tree, in the current folder.
#
# Every program in corpus/seed is clean; every program in corpus/regress shows what its `# expect:` lines
# name and nothing else, on the versions that its "Seen in Linux" names, and is clean without such lines;
# each of them ten times over in one process. Then the exit codes: 2 for what the user got wrong, 125
# for a walker that can't be had, with one line each. OBJECTS holds those of test_load.c.
#
# Exit status: 0, 1 a test fails, 77 (skipped) PTFUZZ_TEST_TREE is not set.
# shellcheck disable=SC2015,SC2016  # `word` is literal; A && B || fails: B fails too
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ptfuzz=$1 replay_ten=$2 objects=$3
tree=${PTFUZZ_TEST_TREE:-}
tests_nr=0 failures_nr=0

[ -n "$tree" ] || {
	echo "skipped: PTFUZZ_TEST_TREE names no Linux tree"
	exit 77
}

# fails NAME REASON: reports a test that failed
fails()
{
	failures_nr=$((failures_nr + 1))
	printf 'FAILED %s: %s\n' "$1" "$2"
}

# expect STATUS PATTERN ARGUMENT...: ptfuzz gives STATUS, no output, one line on stderr with PATTERN
expect()
{
	local want=$1 pattern=$2 got=0

	shift 2
	tests_nr=$((tests_nr + 1))
	"$ptfuzz" "$@" >stdout 2>stderr </dev/null || got=$?
	[ "$got" -eq "$want" ] || fails "$*" "got status $got, want $want"
	[ ! -s stdout ] || fails "$*" "got output: $(head -n 3 stdout)"
	[ "$(wc -l <stderr)" -eq 1 ] && grep -qE -e "$pattern" stderr ||
		fails "$*" "got '$(cat stderr)', want one line with '$pattern'"
}

# header WORD FILE: what its lines `# WORD: ...` say
header()
{
	sed -n "s/^# $1: *//p" "$2"
}

# object_of FILE: the shared object that the program asks for
object_of()
{
	case $(sed -n 's/^walker *//p' "$1") in
	linux-dma) echo "$dma" ;;
	linux-debug) echo "$debug" ;;
	*) echo "$x86" ;;
	esac
}

# stand_in SIGNATURE: where the walker's build traps undefined behaviour it is stopped there, with this
# signature, before it can show the one that other builds of it show; of the last replay's JSON
stand_in()
{
	local shown

	shown=$(sed -n 's,.*"signature": "\(ubsan/.*\)".*,\1,p' stdout)
	[ "$(cut -d / -f 2,3 <<<"$shown")" != "$(cut -d / -f 2,3 <<<"$1")" ] || echo "$shown"
}

# replays FILE: what it shows is what it names, by ptfuzz and ten times over
replays()
{
	local file=$1 signatures=() status=0 want=0 trap=''

	tests_nr=$((tests_nr + 1))
	mapfile -t signatures < <(header expect "$file")
	[ ${#signatures[@]} -eq 0 ] || want=1
	"$ptfuzz" replay --json --linux "$tree" "$file" >stdout 2>&1 || status=$?
	[ "$status" -eq "$want" ] || fails "$file" "status $status, want $want: $(cat stdout)"
	[ "$want" -eq 0 ] || trap=$(stand_in "${signatures[0]}")
	[ -z "$trap" ] || signatures=("$trap")
	"$replay_ten" "$(object_of "$file")" "$file" "${signatures[@]}" >stdout 2>&1 ||
		fails "$file" "$(cat stdout)"
}

seeds_are_clean()
{
	local file

	for file in "$root"/corpus/seed/*.pt; do
		[ -z "$(header expect "$file")" ] || fails "$file" "a seed expects nothing"
		replays "$file"
	done
	tests_nr=$((tests_nr + 1))
	"$ptfuzz" replay --quiet --paranoid --linux "$tree" "$root/corpus/seed" >stdout 2>&1 ||
		fails "all seeds, paranoid" "$(cat stdout)"
}

regressions_show_what_they_expect()
{
	local version file

	version=$("$ptfuzz" info --linux "$tree" --json | sed -n 's/.*"tree": "linux \([^ ]*\) .*/\1/p')
	[ -n "$version" ] || fails "$tree" "its version is not known"
	for file in "$root"/corpus/regress/*.pt; do
		[ -e "$file" ] || continue
		if [ -z "$(header expect "$file")" ] ||
			grep '^# Seen in Linux' "$file" | grep -qwF -e "$version"; then
			replays "$file"
		else
			echo "left out: $file was not seen in $version"
		fi
	done
}

wrong_use_is_2()
{
	local good=$root/corpus/seed/vtdss-map-unmap-remap.pt

	printf 'ptfuzz 1\nformat vtdss\nmop iova=0\n' >bad.pt
	printf 'hello\n' >text.pt
	printf 'ptfuzz 1\nwalker nobody\nformat vtdss\nsync\n' >nobody.pt
	printf 'ptfuzz 1\nwalker linux\nformat vtdss\nsync\n' >linux.pt
	printf 'one/two/three/four\n' >bad.known
	mkdir -p empty
	expect 2 '^ptfuzz: none\.pt: No such file' replay --linux "$tree" none.pt
	expect 2 '^ptfuzz: bad\.pt:3: .*mop' replay --linux "$tree" bad.pt
	expect 2 '^ptfuzz: text\.pt:1: ' replay --linux "$tree" text.pt
	expect 2 '^ptfuzz: empty: holds no program' replay --linux "$tree" empty
	expect 2 '^ptfuzz: which program' replay --linux "$tree"
	expect 2 '^ptfuzz: which tree.s walker `linux`' replay linux.pt
	expect 2 '^ptfuzz: --nothing: ' replay --linux "$tree" --nothing "$good"
	expect 2 '^ptfuzz: --linux: ' replay "$good" --linux
	expect 2 '^ptfuzz: unknown command `replya`' replya
	expect 2 '^ptfuzz: unknown walker `nobody`' replay --linux "$tree" --walker nobody "$good"
	expect 2 '^ptfuzz: unknown walker `nobody`' replay --linux "$tree" nobody.pt
	expect 2 '^ptfuzz: which tree.s walker `linux-dma`' replay --walker linux-dma "$good"
	expect 2 '^ptfuzz: --variant arm: ' replay --linux "$tree" --variant arm "$good"
	expect 2 '^ptfuzz: none: No such file' replay --linux none "$good"
	expect 2 '^ptfuzz: none\.known: No such' replay --linux "$tree" --known none.known "$good"
	expect 2 '^ptfuzz: bad\.known:1: ' replay --linux "$tree" --known bad.known "$good"
}

# tells PATTERN ARGUMENT...: ptfuzz succeeds and prints a line with PATTERN
tells()
{
	local pattern=$1

	shift
	tests_nr=$((tests_nr + 1))
	{ "$ptfuzz" "$@" >stdout 2>stderr </dev/null && grep -qE -e "$pattern" stdout; } ||
		fails "$*" "no '$pattern' in: $(head -n 3 stdout stderr)"
}

each_way_to_name_a_walker_works()
{
	local good=$root/corpus/seed/vtdss-map-unmap-remap.pt

	printf 'ptfuzz 1\nformat vtdss\nsync\n' >plain.pt
	printf 'ptfuzz 1\nwalker native\nformat vtdss\nsync\n' >native.pt
	tells '^  native on the embedded walker' replay plain.pt
	tells '^  native on the embedded walker' replay native.pt
	tells '^  native on the embedded walker' replay --walker native "$good"
	tells '^  native on the embedded walker' replay --walker native --linux "$tree" "$good"
	tells '^  linux on linux ' replay --linux "$tree" native.pt
	tells '^  linux on linux ' replay --walker "$tree" native.pt
	tells '^  linux-dma on linux ' replay --walker linux-dma --linux "$tree" "$good"
	tells '^  linux-debug on linux ' replay --walker "$debug" "$good"
	tells '^Walker native: ' info
	tells '^Walker linux: ' info --walker "$tree"
}

two_walkers_are_compared()
{
	local config='config vasz=48 oasz=52 top=3 features=dma-incoherent,flush-range'

	printf 'ptfuzz 1\nformat vtdss\n%s\nmap iova=0 oa=0 len=0x1000 prot=rw\n' "$config" >lines.pt
	tells '^comparison: compared to the end' replay --linux "$tree" --against linux lines.pt
	tells '^  against linux-dma on linux ' replay --linux "$tree" --against linux-dma lines.pt
	tells '^comparison: compared to the end' replay --walker native --against "$tree" lines.pt
	tells '^ +[0-9]+  compared to the end' run --linux "$tree" --against linux --programs 300 \
		--seed 1 --known "$root/corpus/known/linux-7.2.known" \
		--known "$root/corpus/known/linux-7.3.known"
	expect 2 '^ptfuzz: unknown walker `nobody`' replay --against nobody lines.pt
	expect 2 '^ptfuzz: --maximize looks at one' run --against native --maximize allocs
	# Both sides of what differs: this tree flushes new tables twice.
	tests_nr=$((tests_nr + 1))
	"$ptfuzz" replay --linux "$tree" --against native lines.pt >stdout 2>&1 &&
		fails "replay --against native" "got status 0, want 1" || true
	grep -q '^VIOLATION differs/map/vtdss/lines in step 1' stdout &&
		grep -qE '^  other map .* 0x1000 mapped .*lines flushed' stdout ||
		fails "replay --against native" "no difference with both sides in: $(cat stdout)"
}

walker_that_cannot_be_had_is_125()
{
	local good=$root/corpus/seed/vtdss-map-unmap-remap.pt

	mkdir -p no-generic-pt/drivers/iommu no-generic-pt/include
	printf 'VERSION = 6\nPATCHLEVEL = 1\n' >no-generic-pt/Makefile
	expect 125 'no-generic-pt has no drivers/iommu/generic_pt: Linux 6\.19' \
		replay --linux no-generic-pt "$good"
	expect 125 'no-generic-pt has no drivers/iommu/generic_pt' walker-path --linux no-generic-pt
	expect 125 'none\.so' replay --walker ./none.so "$good"
	expect 125 'exports no `walkers`' replay --walker "$objects/empty.so" "$good"
	expect 125 'was built for interface' replay --walker "$objects/abi.so" "$good"
	expect 125 'holds no walker' replay --walker "$objects/none.so" "$good"
	expect 125 'a test has no format vtdss' replay --walker "$objects/two.so" "$good"
}

# What an engine starts from when it is asked for formats that no seed is of.
seeds_are_of_the_formats_asked_for()
{
	"$ptfuzz" seeds --format armv8_s1,riscv_64 arm "$root/corpus/seed" >stdout
	"$ptfuzz" replay --quiet arm >stdout 2>&1 || fails "seeds in other formats" "$(cat stdout)"
	"$ptfuzz" replay arm >stdout
	tests_nr=$((tests_nr + 1))
	[ "$(grep '^  format' stdout | sort -u | paste -sd ' ')" = "  format armv8_s1   format riscv_64" ] ||
		fails "seeds of two formats" "got $(grep '^  format' stdout | sort | uniq -c)"
	expect 2 'unknown format `nope`' seeds --format nope arm "$root/corpus/seed"
}

x86=$("$ptfuzz" walker-path --linux "$tree" --variant x86)
dma=$("$ptfuzz" walker-path --linux "$tree" --variant dma)
debug=$("$ptfuzz" walker-path --linux "$tree" --variant debug)
seeds_are_clean
regressions_show_what_they_expect
wrong_use_is_2
each_way_to_name_a_walker_works
two_walkers_are_compared
walker_that_cannot_be_had_is_125
seeds_are_of_the_formats_asked_for

echo "$tests_nr checks, $failures_nr failures"
[ "$failures_nr" -eq 0 ]
