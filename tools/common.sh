# What the scripts here share. Sourced, never run; the sourcing script sets `me`, its name in messages.
# shellcheck shell=bash disable=SC2015,SC2154

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # used by the scripts that source this
home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
# shellcheck disable=SC2034
cache=${XDG_CACHE_HOME:-$home/.cache}/iommupt-fuzz

# say MESSAGE: what is going on, for people; results go to stdout
say()
{
	printf '%s: %s\n' "$me" "$1" >&2
}

# die STATUS MESSAGE: 2 is a mistake of the user or of the set-up, 125 a tree that cannot be used
die()
{
	say "$2"
	exit "$1"
}

# usage: the comment that opens the script, up to the first line that is no comment
usage()
{
	sed -n '2,/^[^#]/ { s/^# \{0,1\}//p; }' "$0"
}

# option_value NR OPTION VALUE: dies unless OPTION, with NR words left on the line, has a value
option_value()
{
	[ "$1" -ge 2 ] && [ -n "$3" ] || die 2 "$2 needs a value: $me --help shows which"
}

# option_number OPTION VALUE MOST: dies unless VALUE is a number from 1 to MOST
option_number()
{
	[[ $2 =~ ^[1-9][0-9]{0,8}$ ]] && [ "$2" -le "$3" ] ||
		die 2 "$1: '$2' is not a whole number from 1 to $3"
}

# tree_version DIR: X.Y of a Linux tree, from its Makefile; nothing when it has none
tree_version()
{
	[ -f "$1/Makefile" ] || return 0
	awk '$2 == "=" && $1 == "VERSION" { x = $3 }
	     $2 == "=" && $1 == "PATCHLEVEL" { print x "." $3; exit }' "$1/Makefile"
}

# first_error LOG: the line of a build's log that says what went wrong
first_error()
{
	grep -m 1 -E '(^|[ :])error: ' "$1" ||
		awk '/^CMake Error/ { line = $0; next }
		     line && NF { sub(/^ */, ""); print line, $0; found = 1; exit }
		     END { exit !found }' "$1" ||
		grep -m 1 'FAILED:' "$1" || tail -n 1 "$1"
}

# build_preset PRESET: configures and builds, quietly; one build at a time in this clone
build_preset()
{
	local folder=$root/build/$1
	local log=$folder/build.log

	mkdir -p "$folder"
	say "building preset $1"
	(
		flock 9
		cd "$root"
		cmake --preset "$1" && cmake --build --preset "$1"
	) >"$log" 2>&1 </dev/null 9>"$root/build/.lock" ||
		die 2 "preset $1 does not build: $(first_error "$log") (log: $log)"
}
