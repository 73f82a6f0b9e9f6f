/*
 * 4- and 5-level paging as an IOMMU's first stage reads it. Sources: Intel SDM volume 3A, 4.5; VT-d
 * Architecture Specification, 3.6 and 9.7; AMD I/O Virtualization Technology Specification (48882),
 * 2.2.6; the memory-encryption bit: AMD64 APM volume 2, 7.10.
 *
 * Requests come with user privilege. Accessed and dirty are set from the start, since hardware that does
 * not set them by itself may fault. Left out: execute disable, which needs an enable bit elsewhere;
 * memory types, global pages.
 */
#include "core/native/format.h"

#define PRESENT	 (1ull << 0)
#define WRITE	 (1ull << 1)
#define USER	 (1ull << 2)
#define ACCESSED (1ull << 5)
#define DIRTY	 (1ull << 6)
#define LARGE	 (1ull << 7) /* PS; in the lowest level the bit is PAT */
#define ADDRESS	 bits_field(12, 51)

static void x86_64_describe(const struct config *config, struct native_words *words)
{
	words->encrypt = native_encrypt(config);
	words->address = ADDRESS & ~words->encrypt;
	for (unsigned int i = 0; i < NATIVE_LEVELS; i++) {
		struct native_level *level = &words->level[i];

		level->present = PRESENT;
		level->table_mask = LARGE;
		level->table_bits = PRESENT | WRITE | USER | ACCESSED | words->encrypt;
		native_no_several(level);
	}
	native_no_table(&words->level[0]);
}

static u64 x86_64_leaf(const struct config *config, const struct native_words *words,
		       unsigned int level, unsigned int size_lg2, u32 prot)
{
	u64 word = PRESENT | USER | ACCESSED;

	word |= level ? LARGE : 0;
	word |= prot & MAP_PROT_WRITE ? WRITE | DIRTY : 0;
	return word | (prot & MAP_PROT_MMIO ? 0 : words->encrypt);
}

const struct native_format native_x86_64 = {
	.granule_lg2 = 12,
	.levels_nr = 5,
	.vasz_max_lg2 = 57,
	.oasz_max_lg2 = 52,
	.top_first = 3,
	.top_last = 4,
	.root_mode = 1, /* the number of levels */
	.sizes = {NATIVE_SIZE(12), NATIVE_SIZE(21), NATIVE_SIZE(30)},
	.describe = x86_64_describe,
	.leaf = x86_64_leaf,
};
