#!/usr/bin/env bash
# tests/test_native_bugs.sh PTFUZZ [ID...]: bugs planted in the embedded walker are each reported by the rule
# that stands for them, and the walker as it is by none.
#
# The bugs are those of tests/native_bug.txt: public ones of such code, and relatives. Each is an edit of a
# copy of core/native, which becomes a walker of its own (a shared object) and is fuzzed from seed 1: with
# 3000 programs, and while none of its rules is among the findings with 30000 and 100000. An edit whose spot
# is no longer found, or found twice, is an error.
#
# $NATIVE_BUG_TABLE: another table. Exit status: 0, 1 a bug is not reported or can't be planted.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ptfuzz=$(realpath "$1")
shift
table=${NATIVE_BUG_TABLE:-$root/tests/native_bug.txt}
programs=(3000 30000 100000)
at_once=2
work=$PWD/native-bugs
cc=(cc -O1 -g -fPIC -fvisibility=hidden -D_GNU_SOURCE)

# fails REASON
fails()
{
	printf 'FAILED: %s\n' "$1"
	exit 1
}

# compile INCLUDE FILE OBJECT: FILE of core/native; INCLUDE: where core/native/... is looked for first
compile()
{
	local extra=()

	[ "${2##*/}" != walker.c ] || extra=(-Dnative_walkers=walkers -fvisibility=default)
	"${cc[@]}" "${extra[@]}" -I"$1" -I"$root" -c "$2" -o "$3"
}

# build FOLDER CHANGED: FOLDER/walker.so of FOLDER/core/native. CHANGED: the only .c file that differs from
# the walker as it is, or anything else: all is compiled
build()
{
	local file name

	for file in "$1"/core/native/*.c; do
		name=${file##*/}
		if [[ $2 == *.c && $name != "$2" ]]; then
			ln -sf "$work/asis/${name%.c}.o" "$1/${name%.c}.o"
		else
			compile "$1" "$file" "$1/${name%.c}.o" || return 1
		fi
	done
	cc -shared -o "$1/walker.so" "$1"/*.o
}

# fuzz FOLDER PROGRAMS: rules of the findings, one a line, in FOLDER/rules
fuzz()
{
	local status=0

	timeout -k 5 120 "$ptfuzz" run --quiet --walker "$1/walker.so" --programs "$2" --seed 1 --findings "$1/findings" \
		--json "$1/json" >"$1/run" 2>&1 || status=$?
	if [ "$status" -gt 1 ] || ! grep -q '"findings"' "$1/json"; then
		echo "ptfuzz run: status $status: $(tail -n 3 "$1/run")" >&2
		return 1
	fi
	sed -n 's|.*"signature": "\([^/"]*\)/.*|\1|p' "$1/json" | sort -u >"$1/rules"
}

# replace FILE OLD NEW: OLD stands in FILE once
replace()
{
	local text rest

	text=$(cat "$1")
	rest=${text#*"$2"}
	[ "$rest" != "$text" ] || {
		echo "not found in ${1##*/}: $2" >&2
		return 1
	}
	[ "${rest#*"$2"}" = "$rest" ] || {
		echo "more than once in ${1##*/}: $2" >&2
		return 1
	}
	printf '%s%s%s\n' "${text%%"$2"*}" "$3" "$rest" >"$1"
}

# plant FILE: the edits on standard input, lines that begin with - and +
plant()
{
	local line old='' new='' state=none

	while IFS= read -r line; do
		if [[ $line == -* && $state == new ]]; then
			replace "$1" "${old%$'\n'}" "${new%$'\n'}" || return 1
			old='' new='' state=none
		fi
		case $line in
		-*) old+=${line#-}$'\n' state=old ;;
		+*) new+=${line#+}$'\n' state=new ;;
		esac
	done
	replace "$1" "${old%$'\n'}" "${new%$'\n'}"
}

# try ID FILE RULES: plants and fuzzes; the row of the result in the folder of the bug
try()
{
	local folder=$work/$1 count found rule verdict=MISSED

	mkdir -p "$folder/core"
	cp -r "$work/asis/core/native" "$folder/core/native"
	plant "$folder/core/native/$2" <"$folder.edit" || return 1
	build "$folder" "$2" || return 1
	for count in "${programs[@]}"; do
		fuzz "$folder" "$count" || return 1
		for rule in $3; do
			grep -qx -e "$rule" "$folder/rules" && verdict=ok
		done
		[ "$verdict" != ok ] || break
	done
	found=$(paste -s -d ' ' "$folder/rules")
	printf '%-6s %-6s %-10s %-44s %-6s %s\n' "$verdict" "$1" "$2" "$3" "$count" "${found:--}" \
		>"$folder.row"
}

# try_one ID FILE RULES: as try(); whatever goes wrong is in the row
try_one()
{
	(try "$@") >"$work/$1.log" 2>&1 ||
		printf '%-6s %-6s %-10s %s\n' ERROR "$1" "$2" "$(tail -n 5 "$work/$1.log")" >"$work/$1.row"
	rm -rf "${work:?}/$1/core"
}

rm -rf "$work"
mkdir -p "$work/asis/core"
cp -r "$root/core/native" "$work/asis/core/native"
build "$work/asis" all
fuzz "$work/asis" "${programs[1]}" || fails "the walker as it is does not run"
[ ! -s "$work/asis/rules" ] || fails "the walker as it is: $(cat "$work/asis/run" "$work/asis/json")"

ids=() files=() rules=() id=
while IFS= read -r line; do
	case $line in
	'bug '*)
		read -r _ id file rule <<<"$line"
		[ ! -e "$work/$id.edit" ] || fails "$id is there twice"
		: >"$work/$id.edit"
		ids+=("$id") files+=("$file") rules+=("$rule")
		;;
	'#'* | '') ;;
	[-+]*) printf '%s\n' "$line" >>"$work/$id.edit" ;;
	*) fails "$table: not a line of a table: $line" ;;
	esac
done <"$table"

shown=()
for i in "${!ids[@]}"; do
	[ $# -eq 0 ] || [[ " $* " == *" ${ids[i]} "* ]] || continue
	shown+=("${ids[i]}")
	while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do
		wait -n
	done
	try_one "${ids[i]}" "${files[i]}" "${rules[i]}" &
done
wait

printf '%-6s %-6s %-10s %-44s %-6s %s\n' "" id file rule-expected programs rules-found
for id in "${shown[@]}"; do
	cat "$work/$id.row"
done | tee "$work/table"
missed=$(grep -c '^MISSED' "$work/table") || true
errors=$(grep -c '^ERROR' "$work/table") || true
echo "${#shown[@]} bugs planted in core/native: $missed not reported by a rule named for them, $errors errors"
if [ "${#shown[@]}" -eq 0 ] || [ "$missed" -ne 0 ] || [ "$errors" -ne 0 ]; then
	fails "not all were planted and reported"
fi
