/*
 * Entries of the toy walker's formats, from the manuals named in docs/formats.md: how a leaf and a
 * table entry are put together and read back.
 */
#include "tests/toy_walker.h"

#define BIT(nr)		   (1ull << (nr))
#define SIZES(first, last) ((~0ull >> (63 - (last))) & (~0ull << (first)))

static u64 encrypt_bit(const struct walker_table *t)
{
	return t->config.features & FEATURE_ENCRYPT_TABLES ? BIT(t->config.encrypt_bit) : 0;
}

static u64 leaf_encrypt(const struct walker_table *t, u32 prot)
{
	if (toy_is(t, ENCRYPT_LOST) || (prot & MAP_PROT_MMIO && !toy_is(t, ENCRYPT_ON_MMIO)))
		return 0;
	return encrypt_bit(t);
}

static u64 table_encrypt(const struct walker_table *t)
{
	return toy_is(t, TABLE_NOT_ENCRYPTED) ? 0 : encrypt_bit(t);
}

static struct toy_entry entry_make(enum toy_kind kind, unsigned int size_lg2, u64 oa)
{
	struct toy_entry entry = {kind, size_lg2, oa};

	return entry;
}

/* ---- Intel VT-d second stage ---- */

static u64 vtdss_leaf(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot)
{
	u64 word = oa;

	word |= prot & MAP_PROT_READ || toy_is(t, WRITE_ONLY_READABLE) ? BIT(0) : 0;
	word |= prot & MAP_PROT_WRITE || toy_is(t, READ_ONLY_WRITEABLE) ? BIT(1) : 0;
	word |= size_lg2 > 12 ? BIT(7) : 0;
	if (t->config.features & FEATURE_FORCE_COHERENCE && !toy_is(t, SNOOP_LOST))
		word |= BIT(11);
	if (toy_is(t, LEAF_STARTS_DIRTY))
		word |= BIT(9);
	if (toy_is(t, LEAF_RESERVED_BIT))
		word |= BIT(62);
	if (toy_is(t, LARGE_LEAF_LOW_BITS) && size_lg2 > 12)
		word |= BIT(12);
	return word;
}

static u64 vtdss_table(const struct walker_table *t, unsigned int level, u64 pa)
{
	u64 word = pa | BIT(0) | BIT(1);

	if (toy_is(t, TABLE_NOT_WRITEABLE))
		word &= ~BIT(1);
	if (toy_is(t, TABLE_RESERVED_BIT))
		word |= BIT(11);
	if (toy_is(t, TABLE_MARKED_LARGE) && level == 3)
		word |= BIT(7);
	return word;
}

static struct toy_entry vtdss_read(const struct walker_table *t, unsigned int level, u64 word)
{
	u64 oa = word & bits_field(12, 51);

	if (!(word & 3))
		return entry_make(TOY_EMPTY, 0, 0);
	if (level && (!(word & BIT(7)) || level > 2))
		return entry_make(TOY_TABLE, 0, oa);
	return entry_make(TOY_LEAF, toy_item_lg2(t, level), oa);
}

static const struct toy_format vtdss = {
	.granule_lg2 = 12,
	.levels_nr = 5,
	.vasz_max_lg2 = 57,
	.oasz_max_lg2 = 52,
	.top_first = 2,
	.top_last = 4,
	.root_mode = (u8)-1, /* AW = top - 1 */
	.features = FEATURE_INCOHERENT | FEATURE_FLUSH_RANGE | FEATURE_NO_GAPS |
		    FEATURE_FORCE_COHERENCE | FEATURE_FORCE_WRITEABLE,
	.sizes = {BIT(12), BIT(21), BIT(30)},
	.dirty = BIT(9),
	.leaf = vtdss_leaf,
	.table = vtdss_table,
	.read = vtdss_read,
};

/* ---- x86-64 ---- */

static u64 x86_64_leaf(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot)
{
	u64 word = oa | BIT(0) | BIT(2) | BIT(5) | leaf_encrypt(t, prot);

	word |= prot & MAP_PROT_WRITE ? BIT(1) | BIT(6) : 0;
	return word | (size_lg2 > 12 ? BIT(7) : 0);
}

static u64 x86_64_table(const struct walker_table *t, unsigned int level, u64 pa)
{
	return pa | BIT(0) | BIT(1) | BIT(2) | BIT(5) | table_encrypt(t);
}

static struct toy_entry x86_64_read(const struct walker_table *t, unsigned int level, u64 word)
{
	u64 oa = word & bits_field(12, 51) & ~encrypt_bit(t);

	if (!(word & BIT(0)))
		return entry_make(TOY_EMPTY, 0, 0);
	if (level && !(word & BIT(7)))
		return entry_make(TOY_TABLE, 0, oa);
	return entry_make(TOY_LEAF, toy_item_lg2(t, level), oa);
}

static const struct toy_format x86_64 = {
	.granule_lg2 = 12,
	.levels_nr = 5,
	.vasz_max_lg2 = 57,
	.oasz_max_lg2 = 52,
	.top_first = 3,
	.top_last = 4,
	.root_mode = 1, /* number of levels */
	.features = FEATURE_INCOHERENT | FEATURE_SIGN_EXTEND | FEATURE_FLUSH_RANGE |
		    FEATURE_NO_GAPS | FEATURE_ENCRYPT_TABLES,
	.sizes = {BIT(12), BIT(21), BIT(30)},
	.leaf = x86_64_leaf,
	.table = x86_64_table,
	.read = x86_64_read,
};

/* ---- AMD v1; the mock has a granule of 2 KiB and addresses that stand one bit further up ---- */

static u64 amdv1_leaf(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot)
{
	unsigned int up = 12 - t->format->granule_lg2;
	unsigned int level;
	bool several = toy_items(t, size_lg2, &level) > 1;
	u64 word = BIT(0) | leaf_encrypt(t, prot);

	if (several) /* bits 12 .. of the size are ones up to a zero below the size's own bit */
		oa |= bits_low(size_lg2 - 1) & ~bits_low(t->format->granule_lg2);
	word |= oa << up;
	word |= several ? 7ull << 9 : 0;
	word |= prot & MAP_PROT_READ ? BIT(61) : 0;
	word |= prot & MAP_PROT_WRITE ? BIT(62) : 0;
	return word | (t->config.features & FEATURE_FORCE_COHERENCE ? BIT(60) : 0);
}

static u64 amdv1_table(const struct walker_table *t, unsigned int level, u64 pa)
{
	unsigned int up = 12 - t->format->granule_lg2;
	u64 next = toy_is(t, TABLE_WRONG_LEVEL) ? level - 1 : level;

	return pa << up | next << 9 | BIT(0) | BIT(61) | BIT(62) | table_encrypt(t);
}

static struct toy_entry amdv1_read(const struct walker_table *t, unsigned int level, u64 word)
{
	unsigned int granule_lg2 = t->format->granule_lg2;
	u64 oa = (word & bits_field(12, 51) & ~encrypt_bit(t)) >> (12 - granule_lg2);
	unsigned int size_lg2 = toy_item_lg2(t, level);

	if (!(word & BIT(0)))
		return entry_make(TOY_EMPTY, 0, 0);
	if (level && (word >> 9 & 7) != 7 && word >> 9 & 7)
		return entry_make(TOY_TABLE, 0, oa);
	if ((word >> 9 & 7) == 7)
		size_lg2 = granule_lg2 + 1 + bits_lowest(~(oa >> granule_lg2));
	return entry_make(TOY_LEAF, size_lg2, bits_align_down(oa, size_lg2));
}

#define AMDV1_FEATURES                                                                      \
	(FEATURE_INCOHERENT | FEATURE_GROWING_TOP | FEATURE_FLUSH_RANGE | FEATURE_NO_GAPS | \
	 FEATURE_FORCE_COHERENCE | FEATURE_DETAILED_GATHER)

static const struct toy_format amdv1 = {
	.granule_lg2 = 12,
	.levels_nr = 6,
	.vasz_max_lg2 = 64,
	.oasz_max_lg2 = 52,
	.top_first = 0,
	.top_last = 5,
	.root_mode = 1,
	.features = AMDV1_FEATURES | FEATURE_ENCRYPT_TABLES,
	.sizes = {SIZES(12, 20), SIZES(21, 29), SIZES(30, 38), SIZES(40, 47), SIZES(48, 51)},
	.dirty = BIT(6),
	.leaf = amdv1_leaf,
	.table = amdv1_table,
	.read = amdv1_read,
};

static const struct toy_format amdv1_mock = {
	.granule_lg2 = 11,
	.levels_nr = 5,
	.vasz_max_lg2 = 56,
	.oasz_max_lg2 = 51,
	.top_first = 0,
	.top_last = 4,
	.root_mode = 1,
	.features = AMDV1_FEATURES,
	.sizes = {SIZES(11, 19), SIZES(20, 28), SIZES(29, 37), BIT(38) | SIZES(40, 46)},
	.dirty = BIT(6),
	.leaf = amdv1_leaf,
	.table = amdv1_table,
	.read = amdv1_read,
};

/* ---- RISC-V Sv39, Sv48, Sv57 ---- */

static u64 riscv_64_leaf(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot)
{
	u64 word = oa >> 2 | BIT(0) | BIT(1) | BIT(4);
	u64 type = prot & MAP_PROT_MMIO ? 2 : prot & MAP_PROT_CACHE ? 0 : 1;

	word |= prot & MAP_PROT_WRITE ? BIT(2) | BIT(7) : 0;
	word |= prot & MAP_PROT_NOEXEC ? 0 : BIT(3);
	word |= toy_is(t, ACCESSED_LOST) ? 0 : BIT(6);
	word |= size_lg2 == 16 ? BIT(63) | BIT(13) : 0;
	if (toy_is(t, MEMORY_TYPE_WRONG))
		type = 0;
	return word | (t->config.features & FEATURE_SVPBMT ? type << 61 : 0);
}

static u64 riscv_64_table(const struct walker_table *t, unsigned int level, u64 pa)
{
	return pa >> 2 | BIT(0);
}

static struct toy_entry riscv_64_read(const struct walker_table *t, unsigned int level, u64 word)
{
	u64 oa = (word & bits_field(10, 53)) << 2;

	if (!(word & BIT(0)))
		return entry_make(TOY_EMPTY, 0, 0);
	if (!(word & bits_field(1, 3)))
		return entry_make(TOY_TABLE, 0, oa);
	if (word >> 63)
		return entry_make(TOY_LEAF, 16, bits_align_down(oa, 16));
	return entry_make(TOY_LEAF, toy_item_lg2(t, level), oa);
}

static const struct toy_format riscv_64 = {
	.granule_lg2 = 12,
	.levels_nr = 5,
	.vasz_max_lg2 = 57,
	.oasz_max_lg2 = 56,
	.top_first = 2,
	.top_last = 4,
	.root_mode = 6, /* 8 is Sv39 */
	.vasz_exact = true,
	.features = FEATURE_INCOHERENT | FEATURE_SIGN_EXTEND | FEATURE_FLUSH_RANGE |
		    FEATURE_NO_GAPS | FEATURE_SVNAPOT_64K | FEATURE_SVPBMT |
		    FEATURE_DETAILED_GATHER,
	.sizes = {BIT(12) | BIT(16), BIT(21), BIT(30), BIT(39), BIT(48)},
	.leaf = riscv_64_leaf,
	.table = riscv_64_table,
	.read = riscv_64_read,
};

const struct toy_format *const toy_formats[FORMAT_NR] = {
	[FORMAT_vtdss] = &vtdss,	   [FORMAT_x86_64] = &x86_64,
	[FORMAT_amdv1] = &amdv1,	   [FORMAT_riscv_64] = &riscv_64,
	[FORMAT_amdv1_mock] = &amdv1_mock, [FORMAT_armv8_s1] = &toy_armv8_s1,
	[FORMAT_armv8_s2] = &toy_armv8_s2,
};
