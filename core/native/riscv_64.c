/*
 * RISC-V Sv39, Sv48 and Sv57. Source: RISC-V Privileged Architecture, "Supervisor-Level ISA", 4.3 to 4.6
 * (of version 1.12), "Svnapot" (5), "Svpbmt" (6); iosatp's modes: RISC-V IOMMU Architecture.
 *
 * An entry without a permission leads to a table. Requests come with user privilege. Accessed and dirty
 * are set from the start, since hardware may fault instead of setting them. What may be written must be
 * readable. Left out: global pages, software's bits.
 */
#include "core/native/format.h"

#define VALID	  (1ull << 0)
#define READ	  (1ull << 1)
#define WRITE	  (1ull << 2)
#define EXECUTE	  (1ull << 3)
#define USER	  (1ull << 4)
#define ACCESSED  (1ull << 6)
#define DIRTY	  (1ull << 7)
#define PPN	  bits_field(10, 53) /* counts in 4 KiB */
#define PBMT_NC	  (1ull << 61)
#define PBMT_IO	  (2ull << 61)
#define NAPOT	  (1ull << 63)
#define NAPOT_LG2 16
#define NAPOT_64K (8ull << 10) /* the low PPN bits that say 64 KiB */

static void riscv_64_describe(const struct config *config, struct native_words *words)
{
	words->address = PPN;
	words->down = 2;
	for (unsigned int i = 0; i < NATIVE_LEVELS; i++) {
		struct native_level *level = &words->level[i];

		level->present = VALID;
		level->table_mask = READ | WRITE | EXECUTE;
		level->table_bits = VALID;
		native_no_several(level);
	}
	native_no_table(&words->level[0]);
	words->level[0].several_mask = words->level[0].several_value = NAPOT;
}

static u64 memory_type(u32 prot)
{
	if (prot & MAP_PROT_MMIO)
		return PBMT_IO;
	return prot & MAP_PROT_CACHE ? 0 : PBMT_NC;
}

static u64 riscv_64_leaf(const struct config *config, const struct native_words *words,
			 unsigned int level, unsigned int size_lg2, u32 prot)
{
	u64 word = VALID | READ | USER | ACCESSED;

	word |= prot & MAP_PROT_WRITE ? WRITE | DIRTY : 0;
	word |= prot & MAP_PROT_NOEXEC ? 0 : EXECUTE;
	word |= size_lg2 == NAPOT_LG2 ? NAPOT | NAPOT_64K : 0;
	return word | (config->features & FEATURE_SVPBMT ? memory_type(prot) : 0);
}

static unsigned int riscv_64_several_lg2(unsigned int level, u64 word)
{
	return NAPOT_LG2;
}

const struct native_format native_riscv_64 = {
	.granule_lg2 = 12,
	.levels_nr = 5,
	.vasz_max_lg2 = 57,
	.oasz_max_lg2 = 56,
	.top_first = 2,
	.top_last = 4,
	.top = NATIVE_TOP_EXACT,
	.root_mode = 6, /* 8 is Sv39 */
	.sizes = {NATIVE_SIZE(12) | NATIVE_SIZE(NAPOT_LG2), NATIVE_SIZE(21), NATIVE_SIZE(30),
		  NATIVE_SIZE(39), NATIVE_SIZE(48)},
	.sizes_of = FEATURE_SVNAPOT_64K,
	.sizes_optional = NATIVE_SIZE(NAPOT_LG2),
	.describe = riscv_64_describe,
	.leaf = riscv_64_leaf,
	.several_lg2 = riscv_64_several_lg2,
};
