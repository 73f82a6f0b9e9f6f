/*
 * Entries of the toy walker's Arm formats, stage 1 and stage 2 with a 4 KiB granule: how a leaf and a
 * table entry are put together and read back. Source: Arm Architecture Reference Manual (DDI 0487), D8.3.
 */
#include "tests/toy_walker.h"

#define BIT(nr) (1ull << (nr))

static bool is_cached(u32 prot)
{
	return prot & MAP_PROT_CACHE && !(prot & MAP_PROT_MMIO);
}

/* Type, OA, SH, AF and Contiguous, which both stages have in the same places. */
static u64 either_leaf(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot)
{
	bool page = size_lg2 < 21, several = !(0x40201000ull >> size_lg2 & 1);
	u64 word = oa | BIT(0);

	word |= page && !toy_is(t, PAGE_IS_BLOCK) ? BIT(1) : 0;
	word |= is_cached(prot) && !toy_is(t, NOT_SHAREABLE) ? 3 << 8 : 0;
	word |= toy_is(t, ACCESS_FAULTS) ? 0 : BIT(10);
	return word | (several && !toy_is(t, CONTIGUOUS_LOST) ? BIT(52) : 0);
}

static u64 armv8_s1_leaf(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot)
{
	u64 type = prot & MAP_PROT_MMIO ? 2 : is_cached(prot) ? 1 : 0;
	bool read_only = !(prot & MAP_PROT_WRITE) != toy_is(t, READ_ONLY_INVERTED);

	return either_leaf(t, size_lg2, oa, prot) | type << 2 | BIT(6) |
	       (toy_is(t, GLOBAL) ? 0 : BIT(11)) | (read_only ? BIT(7) : 0) |
	       (prot & MAP_PROT_NOEXEC ? BIT(53) | BIT(54) : 0);
}

static u64 armv8_s2_leaf(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot)
{
	u64 type = prot & MAP_PROT_MMIO ? 1 : is_cached(prot) ? 15 : 5;

	if (toy_is(t, STAGE_2_HAS_INDEX))
		type &= 7;
	return either_leaf(t, size_lg2, oa, prot) | type << 2 |
	       (prot & MAP_PROT_READ ? BIT(6) : 0) | (prot & MAP_PROT_WRITE ? BIT(7) : 0) |
	       (prot & MAP_PROT_NOEXEC ? BIT(54) : 0);
}

static u64 armv8_table(const struct walker_table *t, unsigned int level, u64 pa)
{
	bool narrow = toy_is(t, TABLE_READ_ONLY) && t->config.format == FORMAT_armv8_s1;

	return pa | BIT(0) | BIT(1) | (narrow ? BIT(62) : 0);
}

static struct toy_entry armv8_read(const struct walker_table *t, unsigned int level, u64 word)
{
	struct toy_entry entry = {TOY_EMPTY, 0, 0};

	if (!(word & BIT(0)))
		return entry;
	entry.oa = word & bits_field(12, 47);
	entry.kind = level && word & BIT(1) ? TOY_TABLE : TOY_LEAF;
	if (entry.kind == TOY_LEAF) {
		entry.size_lg2 = toy_item_lg2(t, level) + (word & BIT(52) ? 4 : 0);
		entry.oa = bits_align_down(entry.oa, entry.size_lg2);
	}
	return entry;
}

#define ARMV8(stage)                                                                     \
	const struct toy_format toy_armv8_s##stage = {                                   \
		.granule_lg2 = 12,                                                       \
		.levels_nr = 4,                                                          \
		.vasz_max_lg2 = 48,                                                      \
		.oasz_max_lg2 = 48,                                                      \
		.top_first = 1,                                                          \
		.top_last = 3,                                                           \
		.root_mode = (u8)-1, /* SL0 = top - 1 */                                 \
		.top_by_vasz = true,                                                     \
		.own_oa = true,                                                          \
		.features = FEATURE_INCOHERENT | FEATURE_FLUSH_RANGE | FEATURE_NO_GAPS | \
			    FEATURE_DETAILED_GATHER,                                     \
		.sizes = {BIT(12) | BIT(16), BIT(21) | BIT(25), BIT(30) | BIT(34)},      \
		.leaf = armv8_s##stage##_leaf,                                           \
		.table = armv8_table,                                                    \
		.read = armv8_read,                                                      \
	}
ARMV8(1);
ARMV8(2);
