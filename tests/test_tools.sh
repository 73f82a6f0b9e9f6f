#!/usr/bin/env bash
# The scripts in tools/, and the script tests, where neither network nor build is needed: each argument
# error gives one line and its exit status before anything is installed or built; linux-tree unpacks a
# package whole or not at all, keeps to its cache, and does without network when it can; and
# test_layers.sh finds what was planted for it. apt is played by the functions below.
#
# Exit status: 0, 1 a test fails.
# shellcheck disable=SC2015  # A && B || fails: B fails too
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
export XDG_CACHE_HOME=$here/cache
cache=$XDG_CACHE_HOME/iommupt-fuzz
unset CI PTFUZZ_TEST_TREE
tests_nr=0 failures_nr=0

# Words on the path that would install, build or run something: none may be reached by a usage error.
mkdir "$here/none"
for command in apt-get apt-cache cmake ctest sudo; do
	printf '#!/bin/sh\necho "reached %s $*" >&2\nexit 99\n' "$command" >"$here/none/$command"
	chmod +x "$here/none/$command"
done

# fails NAME REASON: reports a test that failed
fails()
{
	failures_nr=$((failures_nr + 1))
	printf 'FAILED %s: %s\n' "$1" "$2"
}

# expect NAME STATUS PATTERN COMMAND...: COMMAND gives STATUS, no output, and one line on stderr that
# matches PATTERN
expect()
{
	local name=$1 want=$2 pattern=$3 got=0

	shift 3
	tests_nr=$((tests_nr + 1))
	PATH=$here/none:$PATH "$@" >"$here/stdout" 2>"$here/stderr" </dev/null || got=$?
	[ "$got" -eq "$want" ] || fails "$name" "got status $got, want $want"
	[ ! -s "$here/stdout" ] || fails "$name" "got output: $(head -n 3 "$here/stdout")"
	[ "$(wc -l <"$here/stderr")" -eq 1 ] && grep -qE -e "$pattern" "$here/stderr" ||
		fails "$name" "got '$(cat "$here/stderr")', want one line with '$pattern'"
}

# expect_tree NAME TREE PATTERN ARGUMENT: linux-tree prints TREE and says PATTERN
expect_tree()
{
	local name=$1 want=$2 pattern=$3 got

	tests_nr=$((tests_nr + 1))
	got=$("$root/tools/linux-tree" "$4" 2>"$here/stderr") || fails "$name" "$(cat "$here/stderr")"
	[ "$got" = "$want" ] || fails "$name" "got '$got', want '$want'"
	grep -qE -e "$pattern" "$here/stderr" || [ -z "$pattern" ] ||
		fails "$name" "got '$(cat "$here/stderr")', want '$pattern'"
}

# make_tree DIR VERSION PATCHLEVEL [generic]: as much of a Linux tree as the scripts look at
make_tree()
{
	mkdir -p "$1/include/linux" "$1/drivers/iommu/amd" "$1/arch/x86/include"
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 9\n' "$2" "$3" >"$1/Makefile"
	echo licence >"$1/COPYING"
	echo guard >"$1/include/linux/iommu.h"
	echo unneeded >"$1/arch/x86/include/file.h"
	[ $# -lt 4 ] || mkdir -p "$1/drivers/iommu/generic_pt/fmt"
	[ $# -lt 4 ] || echo unit >"$1/drivers/iommu/generic_pt/fmt/iommu_vtdss.c"
}

usage_errors_give_one_line_and_2()
{
	local tool

	for tool in fuzz test linux-tree setup; do
		expect "$tool --wat" 2 "^tools/$tool: .*--wat.* not known" "$root/tools/$tool" --wat
	done
	expect "fuzz word" 2 "word is not known" "$root/tools/fuzz" word
	expect "fuzz --linux" 2 "--linux needs a value" "$root/tools/fuzz" --linux
	expect "fuzz --linux=" 2 "--linux needs a value" "$root/tools/fuzz" --linux=
	expect "fuzz --format" 2 "'vtdsx' is not a format; those are vtdss," \
		"$root/tools/fuzz" --linux "$here/new" --format vtdss,vtdsx
	expect "fuzz --engine" 2 "'warp' is not an engine; those are" "$root/tools/fuzz" --engine warp
	expect "fuzz --seconds" 2 "--seconds: '0' is not a whole number from 1" "$root/tools/fuzz" --seconds 0
	expect "fuzz --jobs" 2 "--jobs: 'many' is not a whole number" "$root/tools/fuzz" --jobs=many
	expect "fuzz --known" 2 "--known: .*/absent cannot be read" "$root/tools/fuzz" --known "$here/absent"
	expect "fuzz --json" 2 "--json: .* cannot be written" "$root/tools/fuzz" --json "$here/absent/x"
	expect "test --linux" 2 "--linux needs a value" "$root/tools/test" --linux
	expect "linux-tree alone" 2 "one argument is needed" "$root/tools/linux-tree"
	expect "linux-tree version" 2 "a version looks like debian:7.3" "$root/tools/linux-tree" debian:x
}

wrong_trees_are_told_apart()
{
	local tool

	make_tree "$here/old" 6 18
	for tool in fuzz test; do
		expect "$tool, no folder" 2 "/absent: no such folder" \
			"$root/tools/$tool" --linux "$here/absent"
		expect "$tool, no tree" 2 "/none: not a Linux tree" "$root/tools/$tool" --linux "$here/none"
		expect "$tool, old tree" 125 "/old: no drivers/iommu/generic_pt in this tree: Linux 6.19" \
			"$root/tools/$tool" --linux "$here/old"
	done
	make_tree "$here/new" 7 3 generic
	expect_tree "a tree of one's own" "$here/new" "" "$here/new"
}

# play_apt: puts an apt on the path that offers the packages in $here/offers, none while that is absent
play_apt()
{
	mkdir -p "$here/apt" "$here/sources.d"
	cat >"$here/apt/apt-get" <<-'END'
		#!/usr/bin/env bash
		[ -d "$OFFERS" ] || { echo "E: no network" >&2; exit 100; }
		for last; do :; done
		[[ " $* " != *" download "* ]] || cp "$OFFERS/${last/=/_}.deb" .
	END
	cat >"$here/apt/apt-cache" <<-'END'
		#!/usr/bin/env bash
		cd "$OFFERS" || exit 1
		case $3 in
		pkgnames) ls | sed 's/_.*//' | sort -u; echo linux-source-rt ;;
		madison) ls | sed -E 's/(.*)_(.*)\.deb/\1 | \2 | mirror sid Packages/' ;;
		esac
	END
	cat >"$here/apt/apt-config" <<-END
		#!/bin/sh
		echo "list=$here/sources.list; parts=$here/sources.d/"
	END
	chmod +x "$here"/apt/*
	export OFFERS=$here/offers
	export PATH=$here/apt:$PATH
}

# make_package VERSION TREE: a linux-source package of TREE among the offers
make_package()
{
	local name=linux-source-${1%.*} folder=$here/package

	rm -rf "$folder"
	mkdir -p "$folder/DEBIAN" "$folder/usr/src" "$OFFERS"
	printf 'Package: %s\nVersion: %s-1\nArchitecture: all\nMaintainer: a <b>\nDescription: c\n' \
		"$name" "$1" >"$folder/DEBIAN/control"
	tar -cJf "$folder/usr/src/$name.tar.xz" -C "$here" --transform "s,^$2,$name," "$2"
	dpkg-deb -Zgzip -b "$folder" "$OFFERS/${name}_$1-1.deb" >/dev/null
}

debian_trees_come_from_the_cache_or_the_mirror()
{
	# shellcheck source=/dev/null
	if ! command -v dpkg-deb >/dev/null || ! (. /etc/os-release && [ "${ID:-}" = debian ]) ||
		[ ! -e /usr/share/keyrings/debian-archive-keyring.gpg ]; then
		echo "skipped: what linux-tree does on Debian; this is another system"
		return
	fi
	play_apt
	expect_mirror
	expect_no_network
	make_package 7.9.3 new
	make_package 7.10.2 new
	make_package 6.18.9 old

	expect_tree "the newest" "$cache/linux-7.10.2" "Linux 7.10.2 from Debian" debian
	tests_nr=$((tests_nr + 1))
	[ "$(cd "$cache/linux-7.10.2" && find . -type f | sort | paste -sd ' ')" = "./COPYING ./Makefile$(
		) ./drivers/iommu/generic_pt/fmt/iommu_vtdss.c ./include/linux/iommu.h" ] ||
		fails "what is unpacked" "got $(cd "$cache/linux-7.10.2" && find . -type f | paste -sd ' ')"
	expect_tree "a pinned one" "$cache/linux-7.9.3" "fetching linux-source-7.9 7.9.3-1" debian:7.9
	expect_apt "one that is not there" 2 "debian:8.1: neither in .* 6.18.9 7.9.3 7.10.2" debian:8.1
	expect_apt "one that is too old" 125 "linux-6.18.9: no drivers/iommu/generic_pt" debian:6.18
	rm -rf "$cache/linux-7.9.3"
	expect_concurrent

	rm -rf "$OFFERS"
	expect_tree "the newest, offline" "$cache/linux-7.10.2" "taking the newest tree in the cache" debian
	expect_tree "a pinned one, offline" "$cache/linux-7.9.3" "Linux 7.9.3" debian:7.9.3
	tests_nr=$((tests_nr + 1))
	! compgen -G "$cache/unpack.*" >/dev/null || fails "leftovers" "$(echo "$cache"/unpack.*)"
}

# expect_apt NAME STATUS PATTERN ARGUMENT: linux-tree gives STATUS and its last line matches PATTERN
expect_apt()
{
	local got=0

	tests_nr=$((tests_nr + 1))
	"$root/tools/linux-tree" "$4" >"$here/stdout" 2>"$here/stderr" || got=$?
	[ "$got" -eq "$2" ] || fails "$1" "got status $got, want $2"
	[ ! -s "$here/stdout" ] && tail -n 1 "$here/stderr" | grep -qE "$3" ||
		fails "$1" "got '$(cat "$here/stderr")', want '$3'"
}

# expect_mirror: the address that is taken from the system's sources, in both of their spellings
expect_mirror()
{
	local codename mirror want='debian: no source of Debian'

	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mkdir -p "$OFFERS"
	expect_apt "no sources" 2 "$want" debian
	printf 'Types: deb deb-src\nURIs: x:/other\nSuites: %s\nComponents: main\nSigned-By: /k/other.gpg\n\n%s' \
		"$codename" "# of Debian
Types: deb
URIs: x:/security
Suites: $codename-security
Components: main

Types: deb
Enabled: no
URIs: x:/disabled
Suites: $codename
Components: main
" >"$here/sources.d/a.sources"
	expect_apt "none of Debian's" 2 "$want" debian
	printf '# deb x:/comment %s main\ndeb [arch=amd64 signed-by=/k/debian-archive.gpg] x:/listed/ %s main\n' \
		"$codename" "$codename" >"$here/sources.list"
	expect_apt "no packages" 2 "no linux-source package" debian
	mirror=$(awk '{ print $(NF - 2) }' "$cache/apt/sources.list" | sort -u)
	[ "$mirror" = x:/listed ] || fails "one-line sources" "got $mirror, want x:/listed"
	printf 'Types: deb\nURIs:\n x:/stanza\nSuites: %s\n %s-updates\nComponents: contrib main\n' \
		"$codename" "$codename" >"$here/sources.d/b.sources"
	expect_apt "no packages" 2 "no linux-source package" debian
	mirror=$(awk '{ print $(NF - 2) }' "$cache/apt/sources.list" | sort -u)
	[ "$mirror" = x:/stanza ] || fails "deb822 sources" "got $mirror, want x:/stanza"
	rmdir "$OFFERS"
}

expect_no_network()
{
	expect_apt "nothing cached, offline" 2 "cannot be fetched \(E: no network\); give the folder" debian
}

# expect_concurrent: several at once fetch it once, and each gets it whole
expect_concurrent()
{
	local nr

	tests_nr=$((tests_nr + 1))
	for nr in 1 2 3; do
		"$root/tools/linux-tree" debian:7.9 >"$here/stdout.$nr" 2>"$here/stderr.$nr" &
	done
	wait
	[ "$(cat "$here"/stdout.? | sort -u)" = "$cache/linux-7.9.3" ] ||
		fails "three at once" "$(cat "$here"/stdout.? "$here"/stderr.?)"
	[ "$(cat "$here"/stderr.? | grep -c fetching)" -eq 1 ] ||
		fails "three at once" "fetched more than once: $(cat "$here"/stderr.?)"
}

# plant FILE LINE: a file that test_layers.sh must name, for the line's sake
plant()
{
	mkdir -p "$here/planted/$(dirname "$1")"
	echo "$2" >>"$here/planted/$1"
	planted+=("$1:$(wc -l <"$here/planted/$1")")
}

layers_test_names_what_is_planted()
{
	local planted=() want got=0

	plant core/base/a.h '#include "core/host/host.h"'
	plant core/base/a.h '#include <xxhash.h>'
	plant core/walker.h '#include "core/host/host.h"'
	plant core/host/a.c '#include "core/walker.h"'
	plant core/host/a.c 'int take(struct host *host, phys_addr_t pa);'
	plant oracle/a.c '  # include "core/walker.h"'
	plant oracle/a.c '#include "core/linux/pages.h"'
	plant oracle/a.c '#include <linux/types.h>'
	plant fuzzers/a.c '#include "tools/command.h"'
	plant fuzzers/a.c '#include "program.h"'
	plant tools/a.c '#include "core/linux/glue.h"'
	plant tools/b '# TO''DO'
	plant tools/b 'fetch http:''//x'
	plant tools/b 'fetch deb.debian''.org'
	plant tests/a.c '#include <asm/page.h>'
	plant core/linux/a.c '#include "oracle/oracle.h"'
	plant else/a.c 'int stray;'
	yes '/* line */' | head -n 451 >"$here/planted/core/base/long.c" || true
	planted+=(core/base/long.c:451)
	want=$(printf '%s\n' "${planted[@]}" | sort)

	# None of these may be named.
	mkdir -p "$here/planted/core/linux"
	printf '%s\n' '#include <linux/iommu.h>' '#include "../iommu-pages.h"' >"$here/planted/core/linux/b.c"
	printf '%s\n' '#include <xxhash.h>' '#include <sys/stat.h>' '#include "oracle/b.h"' \
		'/* as struct page' ' * or gfp_t */ int x; /* struct folio */' >"$here/planted/oracle/b.c"

	tests_nr=$((tests_nr + 1))
	"$root/tests/test_layers.sh" "$here/planted" >"$here/stdout" || got=$?
	[ "$got" -eq 1 ] || fails "test_layers.sh" "got status $got, want 1"
	got=$(cut -d : -f 1,2 "$here/stdout" | sort -u)
	[ "$got" = "$want" ] || fails "test_layers.sh" "got (<) and want (>): $(diff <(echo "$got") <(echo "$want"))"
}

wrong_trees_are_told_apart
usage_errors_give_one_line_and_2
debian_trees_come_from_the_cache_or_the_mirror
layers_test_names_what_is_planted

echo "$tests_nr checks, $failures_nr failures"
[ "$failures_nr" -eq 0 ]
