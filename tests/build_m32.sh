#!/usr/bin/env bash
# tests/build_m32.sh TREE OUT
#
# A 32-bit harness (tests/mini_run.c, which needs neither jansson nor libxxhash) and the x86 build of the
# walker of the Linux tree TREE, in OUT: walker-64.so, whose dma_addr_t and phys_addr_t are 64 bits wide,
# and walker-32.so, where they are as wide as unsigned long. The 32-bit C library comes from Debian
# packages that are unpacked in OUT and not installed. Exit status 77: no such packages. PTFUZZ names the
# command that builds the tree's generated headers. Then:
#
#     OUT/run OUT/walker-32.so PROGRAMS SEED corpus/known/linux-7.3.known
#
# which is OUT/mini_run, under Debian's qemu-i386-static where the running kernel takes no 32-bit programs.
set -euo pipefail

tree=$(readlink -f "$1")
mkdir -p "$2"
out=$(readlink -f "$2")
cd "$(dirname "$0")/.."
sys=$out/sys

# fetch PACKAGE...: unpacked in $sys
fetch()
{
	local debs=$out/debs

	mkdir -p "$debs"
	(cd "$debs" && apt-get -qq -o APT::Sandbox::User=root download "$@") || {
		echo "build_m32.sh: apt-get can't download $*" >&2
		exit 77
	}
	for deb in "$debs"/*.deb; do
		dpkg -x "$deb" "$sys"
	done
	rm -r "$debs"
}

if [ ! -d "$sys/lib32" ]; then
	fetch libc6-dev-i386 libc6-i386 lib32gcc-12-dev
fi
gcc=$sys/usr/lib/gcc/x86_64-linux-gnu/12/32
made=$(dirname "$("${PTFUZZ:-build/release/tools/ptfuzz}" walker-path --linux "$tree" --variant x86)")/made
system=(-isystem "$sys/usr/include" -isystem /usr/include/x86_64-linux-gnu)
mkdir -p "$out/mini" "$out/walker-64" "$out/walker-32"

for file in core/base/*.c core/host/*.c oracle/*.c fuzzers/{execute,bitmap,run_dirty,known,load,trap}.c \
	fuzzers/generate*.c fuzzers/program*.c fuzzers/text*.c tests/mini_run.c; do
	clang -m32 -O2 -g -fPIC -std=gnu11 -D_GNU_SOURCE -DXXH_INLINE_ALL -Wno-macro-redefined -I. \
		"${system[@]}" -c "$file" -o "$out/mini/$(basename "$file").o"
done
clang -m32 -nostdlib -nostartfiles -rdynamic -pie "-Wl,--dynamic-linker=$sys/lib32/ld-linux.so.2" \
	"-Wl,-rpath,$sys/lib32" -o "$out/mini_run" "$sys/usr/lib32/"{Scrt1,crti}.o "$out/mini/"*.o \
	"$sys/lib32/libc.so.6" "$sys/usr/lib32/libc_nonshared.a" "$sys/lib32/ld-linux.so.2" \
	-L"$gcc" -lgcc "$sys/usr/lib32/crtn.o"

# build_walker WIDTH [FLAG]: the walker whose physical addresses have WIDTH bits
build_walker()
{
	local file

	for file in "$tree"/drivers/iommu/generic_pt/fmt/iommu_{amdv1,vtdss,x86_64,riscv64,mock}.c \
		"$tree"/drivers/iommu/iommufd/iova_bitmap.c "$tree"/drivers/iommu/iommu-pages.c core/linux/*.c; do
		clang -m32 -O2 -g -fPIC -fvisibility=hidden -std=gnu11 -fwrapv -fno-strict-aliasing \
			-Wno-everything -Werror=implicit-function-declaration -ftls-model=initial-exec \
			-include linux/compiler.h -iquote "$tree/drivers/iommu" -Icore/linux/include -I. \
			-I"$made" -isystem "$tree/include" -isystem "$tree/include/uapi" "${system[@]}" \
			-DCONFIG_X86=1 -DWALKER_NAME='"linux"' "${@:2}" \
			-DWALKER_ABOUT="\"Linux iommupt, 32 bits, physical addresses of $1\"" \
			-c "$file" -o "$out/walker-$1/$(basename "$file").o"
	done
	clang -m32 -nostdlib -shared -Wl,--version-script=core/linux/walkers.map \
		-o "$out/walker-$1.so" "$out/walker-$1/"*.o -L"$gcc" -lgcc
}

build_walker 64
build_walker 32 -DSHIM_PHYS_32BIT

emulator=
status=0
"$out/mini_run" >/dev/null 2>&1 || status=$?
if [ "$status" = 126 ]; then
	emulator=$sys/usr/bin/qemu-i386-static
	[ -x "$emulator" ] || {
		fetch qemu-user-static
		find "$sys/usr/bin" -name "qemu-*-static" ! -path "$emulator" -delete
	}
	echo "build_m32.sh: this kernel runs no 32-bit programs; qemu-i386-static does"
fi
printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${emulator:+\"$emulator\"}" "$out/mini_run" >"$out/run"
chmod +x "$out/run"
