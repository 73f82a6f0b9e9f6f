/*
 * Arm VMSAv8-64, stage 1 and stage 2, as SMMUv3 reads them: 4 KiB granule, 48-bit addresses. Source: Arm
 * Architecture Reference Manual for A-profile (DDI 0487), D8.2 and D8.3; D8.6 for memory types; D8.7.1 for
 * the contiguous bit; SMMU Architecture Specification (IHI 0070), 3.17 for nG, 5.2 for S2SL0.
 *
 * Arm's level 3 is level 0 here. A set type bit leads to a table, but means a page on the lowest level. The
 * 16 items of a contiguous leaf are whole entries, each with its own oa. Leaves are accessible to requests
 * without privilege, valid for one ASID, and come with the access flag, since hardware may fault on a clear
 * one. MAIR's indices, which the driver fills: 0 non-cacheable, 1 write-back, 2 Device-nGnRE. Left out:
 * concatenated tables, FEAT_TTST, dirty state.
 */
#include "core/native/format.h"

#define VALID	     (1ull << 0)
#define NOT_BLOCK    (1ull << 1)
#define INNER	     (3ull << 8) /* SH: inner shareable */
#define ACCESSED     (1ull << 10)
#define ADDRESS	     bits_field(12, 47)
#define CONTIGUOUS   (1ull << 52)
#define NO_EXECUTE   (1ull << 54) /* UXN, XN[1] */
#define S1_INDEX(nr) ((nr##ull) << 2)
#define S1_USER	     (1ull << 6)  /* AP[1] */
#define S1_READ_ONLY (1ull << 7)  /* AP[2] */
#define S1_ONE_ASID  (1ull << 11) /* nG */
#define S2_TYPE(nr)  ((nr##ull) << 2)
#define S2_READ	     (1ull << 6) /* S2AP[0] */
#define S2_WRITE     (1ull << 7) /* S2AP[1] */

#define ITEM_LG2(level) (12 + NATIVE_ITEMS_LG2 * (level))
#define SEVERAL_LG2	4 /* items of a contiguous leaf */

static void armv8_describe(const struct config *config, struct native_words *words)
{
	words->address = ADDRESS;
	for (unsigned int i = 0; i < NATIVE_LEVELS; i++) {
		struct native_level *level = &words->level[i];

		level->present = VALID;
		level->table_mask = level->table_value = NOT_BLOCK;
		level->table_bits = VALID | NOT_BLOCK;
		level->several_mask = level->several_value = CONTIGUOUS;
	}
	native_no_table(&words->level[0]);
}

/* What leaves of both stages have. */
static u64 leaf_word(unsigned int level, unsigned int size_lg2, u32 prot)
{
	u64 word = VALID | ACCESSED;

	word |= level ? 0 : NOT_BLOCK;
	word |= size_lg2 > ITEM_LG2(level) ? CONTIGUOUS : 0;
	word |= prot & MAP_PROT_CACHE && !(prot & MAP_PROT_MMIO) ? INNER : 0;
	return word | (prot & MAP_PROT_NOEXEC ? NO_EXECUTE : 0);
}

static u64 armv8_s1_leaf(const struct config *config, const struct native_words *words,
			 unsigned int level, unsigned int size_lg2, u32 prot)
{
	u64 word = leaf_word(level, size_lg2, prot) | S1_USER | S1_ONE_ASID;

	word |= prot & MAP_PROT_WRITE ? 0 : S1_READ_ONLY;
	if (prot & MAP_PROT_MMIO)
		return word | S1_INDEX(2);
	return word | (prot & MAP_PROT_CACHE ? S1_INDEX(1) : S1_INDEX(0));
}

static u64 armv8_s2_leaf(const struct config *config, const struct native_words *words,
			 unsigned int level, unsigned int size_lg2, u32 prot)
{
	u64 word = leaf_word(level, size_lg2, prot);

	word |= prot & MAP_PROT_READ ? S2_READ : 0;
	word |= prot & MAP_PROT_WRITE ? S2_WRITE : 0;
	if (prot & MAP_PROT_MMIO)
		return word | S2_TYPE(1);
	return word | (prot & MAP_PROT_CACHE ? S2_TYPE(15) : S2_TYPE(5));
}

static unsigned int armv8_several_lg2(unsigned int level, u64 word)
{
	return ITEM_LG2(level) + SEVERAL_LG2;
}

/* Geometry that both stages have. */
#define ARMV8_SHAPE                                                                              \
	.granule_lg2 = 12, .levels_nr = 4, .vasz_min_lg2 = 25 /* TnSZ 39 */, .vasz_max_lg2 = 48, \
	.oasz_max_lg2 = 48, .top_first = 1, .top_last = 3, .top = NATIVE_TOP_BY_VASZ,            \
	.root_mode = -1 /* SL0 */, .own_oa = true, .break_first = true,                          \
	.sizes = {NATIVE_SIZE(12) | NATIVE_SIZE(16), NATIVE_SIZE(21) | NATIVE_SIZE(25),          \
		  NATIVE_SIZE(30) | NATIVE_SIZE(34)},                                            \
	.describe = armv8_describe, .several_lg2 = armv8_several_lg2

const struct native_format native_armv8_s1 = {
	ARMV8_SHAPE,
	.leaf = armv8_s1_leaf,
};

const struct native_format native_armv8_s2 = {
	ARMV8_SHAPE,
	.leaf = armv8_s2_leaf,
};
