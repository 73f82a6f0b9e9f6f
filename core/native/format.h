/*
 * How a page-table format is described to the embedded walker: its geometry, the bits by which an entry
 * is told from others, and the bits that an entry is made of. The walker itself (table.c, map.c, unmap.c,
 * lookup.c, dirty.c) knows no format; a description knows no walker, and no more than its manual.
 */
#ifndef CORE_NATIVE_FORMAT_H
#define CORE_NATIVE_FORMAT_H

#include "core/base/bits.h"
#include "core/base/config.h"

#define NATIVE_LEVELS	 6
#define NATIVE_ITEMS_LG2 9 /* of a table; the topmost one of a 64-bit iova uses fewer */

/* How the level of the top table comes from a config. */
enum native_top {
	NATIVE_TOP_ASKED,   /* it is asked for */
	NATIVE_TOP_BY_VASZ, /* it is the lowest one that reaches vasz, and must be asked for */
	NATIVE_TOP_EXACT,   /* it is the one that reaches just vasz, whatever is asked for */
};

/**
 * struct native_level - the entries of one level under one config, filled by describe()
 * @present: an entry with none of these bits is empty
 * @table_mask, @table_value: a present entry leads to a table if these bits of it are @table_value;
 *	a level without tables has the mask 0 and the value 1
 * @table_bits: what an entry that leads to a table holds besides the address
 * @several_mask, @several_value: likewise for a leaf of several items
 */
struct native_level {
	u64 present;
	u64 table_mask;
	u64 table_value;
	u64 table_bits;
	u64 several_mask;
	u64 several_value;
};

/**
 * struct native_words - how entries are written under one config, filled by describe()
 * @address: bits that hold an address, without those that mean something else
 * @up, @down: an address stands @up bits higher, or @down bits lower, than its value
 * @encrypt: the memory-encryption bit, or 0
 */
struct native_words {
	u64 address;
	u8 up;
	u8 down;
	u64 encrypt;
	struct native_level level[NATIVE_LEVELS];
};

/**
 * struct native_format - one format
 * @granule_lg2: bytes of the smallest page; a table of level n translates 2^(granule_lg2 + 9 (n + 1)) bytes
 * @levels_nr: levels that there are
 * @vasz_min_lg2, @vasz_max_lg2, @oasz_max_lg2: widths of addresses, in bits
 * @top_first, @top_last, @top: levels that a top may have; where it comes from
 * @root_mode: what hardware calls a top of level 0, in struct walker_info's sense; may be -1
 * @sizes: by level, page sizes of leaves, one bit for each size in bytes
 * @sizes_of: FEATURE_* without which the sizes of @sizes_optional don't exist; 0: none
 * @own_oa: each item of a leaf of several items holds its own oa; otherwise all hold the first one's
 * @break_first: an entry that leads to a table must be empty in all caches before it becomes a leaf
 * @dirty: the bit that hardware sets in an item of a leaf through which a device wrote; 0: not tracked
 * @describe: fills @words, which is all zeros; @config has been checked
 * @leaf: an item of a leaf of 2^size_lg2 bytes on @level, all but its oa; @prot reads or writes
 * @several_lg2: bytes of the leaf of several items to which @word, on @level, belongs; NULL: there are none
 */
struct native_format {
	u8 granule_lg2;
	u8 levels_nr;
	u8 vasz_min_lg2;
	u8 vasz_max_lg2;
	u8 oasz_max_lg2;
	u8 top_first;
	u8 top_last;
	u8 top;
	s8 root_mode;
	bool own_oa;
	bool break_first;
	u32 sizes_of;
	u64 sizes_optional;
	u64 sizes[NATIVE_LEVELS];
	u64 dirty;
	void (*describe)(const struct config *config, struct native_words *words);
	u64 (*leaf)(const struct config *config, const struct native_words *words,
		    unsigned int level, unsigned int size_lg2, u32 prot);
	unsigned int (*several_lg2)(unsigned int level, u64 word);
};

#define NATIVE_FORMAT(name, features) extern const struct native_format native_##name;
#include "core/native/formats.def"
#undef NATIVE_FORMAT

/* For @sizes: the sizes 2^first .. 2^last. */
#define NATIVE_SIZE(lg2)	  (1ull << (lg2))
#define NATIVE_SIZES(first, last) ((~0ull >> (63 - (last))) & (~0ull << (first)))

/* native_no_table() - @level has no entries that lead to tables; the rest of it stays as it is */
static inline void native_no_table(struct native_level *level)
{
	level->table_mask = 0;
	level->table_value = 1;
}

/* native_no_several() - likewise, no leaves of several items */
static inline void native_no_several(struct native_level *level)
{
	level->several_mask = 0;
	level->several_value = 1;
}

/* native_encrypt() - the memory-encryption bit that @config asks for, or 0 */
static inline u64 native_encrypt(const struct config *config)
{
	return config->features & FEATURE_ENCRYPT_TABLES ? 1ull << config->encrypt_bit : 0;
}

#endif
