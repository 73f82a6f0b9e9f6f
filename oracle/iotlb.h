/* What a device caches: the state of iotlb.c. Private to this folder. */
#ifndef ORACLE_IOTLB_H
#define ORACLE_IOTLB_H

#include "core/base/range.h"
#include "core/base/rng.h"

#define IOTLB_LEAVES   48
#define IOTLB_POINTERS 16 /* a power of two */

/**
 * struct iotlb_leaf - a translation of one smallest page, of the leaf that it is a part of
 * @range: that page
 * @oa: of its first byte
 * @word: the entry
 * @level, @size_lg2: of the leaf
 * @valid: there is one
 * @fresh: it came in this operation
 * @waits: the model no longer has it; a sync is still to come
 */
struct iotlb_leaf {
	struct range range;
	u64 oa;
	u64 word;
	u8 level;
	u8 size_lg2;
	bool valid;
	bool fresh;
	bool waits;
};

/**
 * struct iotlb_pointer - an entry of the walk cache
 * @range: iovas of which it saves the walk's upper part
 * @page: the table that it leads to
 * @level: of the entry that led there; the table's own is one less
 */
struct iotlb_pointer {
	struct range range;
	u32 page;
	u8 level;
	bool valid;
};

/**
 * struct iotlb - the caches of one program
 * @active: this program has them
 * @accesses: left in this operation
 * @stores: of this operation so far
 * @old_root, @old_level: the root before the last change in this operation, or -1
 * @flush_comes: something was removed on a queued gather: a flush of everything will follow
 * @leaf_at, @pointer_at: which one goes next when all are taken
 */
struct iotlb {
	bool active;
	bool flush_comes;
	struct rng rng;
	u32 accesses;
	u32 stores;
	s32 old_root;
	u8 old_level;
	u8 leaf_at;
	u8 pointer_at;
	struct iotlb_leaf leaf[IOTLB_LEAVES];
	struct iotlb_pointer pointer[IOTLB_POINTERS];
};

#endif
