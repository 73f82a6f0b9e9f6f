/*
 * The one interface to any page-table implementation ("walker"). What each operation promises is the
 * contract in docs/contract.md; the oracle checks that, this header says only how to ask.
 *
 * A walker is linked in, or is a shared object that exports `struct walker_list walkers`. Nothing in
 * a walker may be writable and shared between two machines.
 */
#ifndef CORE_WALKER_H
#define CORE_WALKER_H

#include "core/base/config.h"
#include "core/base/range.h"

/* read_and_clear_dirty's flags: report only, change nothing */
#define WALKER_DIRTY_NO_CLEAR 1u

struct host;
struct walker_table; /* an open page table; each walker has its own */

#define WALKER_ABI	    2
#define WALKER_GATHER_BYTES 128

/**
 * struct walker_gather - what unmap has removed and sync has yet to make the device forget
 * @queued: set by the caller before the first use: a flush of everything follows later, so that no
 *	range is kept and nothing is synced at once
 * @empty: no range is waiting; @range is not valid
 * @range: the range that is waiting
 * @leaf_levels, @table_levels: with FEATURE_DETAILED_GATHER, masks of the levels of removed leaves,
 *	and of the levels that held the entries of removed tables
 * @walker: the walker's own part; the struct must not be moved while it is in use
 *
 * Zeroed memory (apart from @queued, with @empty true) is an empty gather once walker->gather_init()
 * has seen it. The walker fills the other fields after each operation on it.
 */
struct walker_gather {
	bool queued;
	bool empty;
	u8 leaf_levels;
	u8 table_levels;
	struct range range;
	u64 walker[WALKER_GATHER_BYTES / 8];
};

/**
 * struct walker_info - what a table says of itself
 * @pgsizes: page sizes that it can store, one bit for each size in bytes
 * @aperture: iovas that it advertises
 * @root_pa: physical address of the top table
 * @root_mode: the level, or mode, field as a driver programs it into hardware beside @root_pa: AW for
 *	vtdss, paging mode for amdv1, number of levels for x86_64, iosatp MODE for riscv_64, SL0 for
 *	armv8_s2 (top level less 1); armv8_s1 has no such field, since TnSZ says it: the same number
 */
struct walker_info {
	u64 pgsizes;
	struct range aperture;
	u64 root_pa;
	u32 root_mode;
};

/**
 * struct walker - one implementation
 * @name: word for `walker NAME` in programs and for --walker
 * @about: one line for `ptfuzz info`
 * @formats: mask of 1 << enum format
 * @features: by format, the features that it documents
 * @forced: by format, features that a table has in this build whether they were asked for or not; a
 *	config without them is not what it says, and isn't judged
 * @any_feature: this build takes features that a format doesn't have; such configs aren't judged
 * @table_bytes: memory that open() needs for a table; the caller owns it, aligned to 64
 *
 * @iova_lg2: bits of an iova, and of a length; 0 means 64. A kernel of 32 bits has 32: callers have no way to
 *	ask for more, and the aperture ends there
 * @oa_lg2: bits of an oa, and of a table page's pa; 0 means 64. Likewise 32 where a kernel's phys_addr_t has 32
 * @open: errors are -EINVAL, -EOPNOTSUPP or -ENOMEM; nothing stays allocated after one
 * @close: frees every table page; the device no longer uses the table
 * @set_pgsizes: keep only these of the advertised page sizes; before the first map
 * @map: 0 or -errno; adds the bytes that are mapped on return to *mapped, also on failure
 * @unmap: bytes removed from @iova on
 * @sync: completes @gather, after which it is empty
 * @iova_to_phys: the oa of the byte at @iova, or 0
 * @read_and_clear_dirty: 0 or -errno; may be NULL. @flags: WALKER_DIRTY_*. Sets bit n % 8 of byte n / 8
 *	of @bitmap, which is all zeros, when the n-th page of the query is dirty: bits count in the smallest
 *	allowed page size, and bit 0 stands for @iova (as in the kernel's iova_bitmap; callers give whole
 *	pages). The bitmap ends with the byte of the query's last bit. What was made clean is added to
 *	@gather. Only on machines that snoop.
 */
struct walker {
	const char *name;
	const char *about;
	u32 formats;
	u32 features[FORMAT_NR];
	u32 forced[FORMAT_NR];
	bool any_feature;
	unsigned int iova_lg2;
	unsigned int oa_lg2;
	size_t table_bytes;

	int (*open)(struct host *host, const struct config *config, void *memory,
		    struct walker_table **table);
	void (*close)(struct walker_table *table);
	void (*set_pgsizes)(struct walker_table *table, u64 pgsizes);
	int (*map)(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped);
	u64 (*unmap)(struct walker_table *table, u64 iova, u64 len, struct walker_gather *gather);
	void (*gather_init)(struct walker_table *table, struct walker_gather *gather);
	void (*sync)(struct walker_table *table, struct walker_gather *gather);
	u64 (*iova_to_phys)(struct walker_table *table, u64 iova);
	int (*read_and_clear_dirty)(struct walker_table *table, u64 iova, u64 len, u32 flags,
				    u8 *bitmap, struct walker_gather *gather);
	void (*info)(struct walker_table *table, struct walker_info *info);
};

/* What a shared object exports under the name `walkers`. */
struct walker_list {
	u32 abi; /* WALKER_ABI */
	u32 nr;
	const struct walker *const *walker;
	const char *origin; /* the tree and its version that it was built from, or "" */
};

#endif
