#!/bin/bash
# Every <linux/...> header that a walker's build read came from the shim (core/linux/include) or
# from the tree, none from the system's own kernel headers: those would be picked up silently.
#
# usage: test_linux_headers.sh TREE BUILD-DIR
set -u

if [ $# -ne 2 ]; then
	echo "usage: test_linux_headers.sh TREE BUILD-DIR" >&2
	exit 2
fi
tree=$(realpath "$1")
ours=$(realpath "$(dirname "$0")/../core/linux")

deps=$(ninja -C "$2" -t deps | grep '^    ' | sed 's/^ *//' | sort -u)
linux=$(grep -E '/(linux|asm|asm-generic|uapi/linux)/[^/]*\.h$|/linux/generic_pt/' <<< "$deps")
strange=$(grep -v -e "^$tree/" -e "^$ours/" -e '/asm-generic/errno\(-base\)\?\.h$' <<< "$linux")

if [ "$(wc -l <<< "$linux")" -lt 40 ]; then
	echo "only these kernel headers were read, is $2 a walker's build?"
	echo "$linux"
	exit 1
fi
if [ -n "$strange" ]; then
	echo "neither from $tree nor from $ours:"
	echo "$strange"
	exit 1
fi
for header in linux/iommu.h linux/generic_pt/iommu.h linux/iova_bitmap.h uapi/linux/iommufd.h; do
	if ! grep -q "^$tree/include/$header\$" <<< "$linux"; then
		echo "$header is not the tree's own"
		exit 1
	fi
done
