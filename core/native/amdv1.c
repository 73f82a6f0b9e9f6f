/*
 * AMD host page tables (v1), and the same with a granule of 2 KiB, which only iommufd's selftest has.
 * Source: AMD I/O Virtualization Technology (IOMMU) Specification (48882), 2.2.3: "I/O Page Directory
 * Entry Fields", "I/O Page Translation Entry Fields", "Example Page Size Encodings"; the
 * memory-encryption bit: AMD64 APM volume 2, 7.10.
 *
 * Each entry names the level that follows; AMD counts from 1, so that the table below an entry of our
 * level n is AMD's level n. 0 is a leaf of the level's own size; 7 a leaf of several items, whose size is
 * told by the length of the run of ones at the low end of the address. Pages of 512 GiB are left out for
 * an erratum, and those above 2^51 since no oa is that wide.
 */
#include "core/native/format.h"

#define PRESENT	    (1ull << 0)
#define DIRTY	    (1ull << 6)
#define NEXT_LEVEL  bits_field(9, 11)
#define NEXT(level) ((u64)(level) << 9)
#define SEVERAL	    7
#define COHERENT    (1ull << 60) /* FC */
#define READ	    (1ull << 61)
#define WRITE	    (1ull << 62)
#define ADDRESS	    bits_field(12, 51)
#define ADDRESS_AT  12

static void words_describe(const struct config *config, struct native_words *words)
{
	words->encrypt = native_encrypt(config);
	words->address = ADDRESS & ~words->encrypt;
	for (unsigned int i = 0; i < NATIVE_LEVELS; i++) {
		struct native_level *level = &words->level[i];

		level->present = PRESENT;
		level->table_mask = NEXT_LEVEL;
		level->table_value = NEXT(i);
		level->table_bits = PRESENT | NEXT(i) | READ | WRITE | words->encrypt;
		level->several_mask = NEXT_LEVEL;
		level->several_value = NEXT(SEVERAL);
	}
	native_no_table(&words->level[0]);
}

static u64 leaf_word(const struct config *config, const struct native_words *words,
		     unsigned int item_lg2, unsigned int size_lg2, unsigned int granule_lg2,
		     u32 prot)
{
	u64 word = PRESENT;

	if (size_lg2 > item_lg2)
		word |= NEXT(SEVERAL) | bits_low(size_lg2 - granule_lg2 - 1) << ADDRESS_AT;
	word |= prot & MAP_PROT_READ ? READ : 0;
	word |= prot & MAP_PROT_WRITE ? WRITE : 0;
	word |= config->features & FEATURE_FORCE_COHERENCE ? COHERENT : 0;
	return word | (prot & MAP_PROT_MMIO ? 0 : words->encrypt);
}

static unsigned int ones_nr(u64 word)
{
	return bits_lowest(~(word >> ADDRESS_AT));
}

/* ---- as hardware has it ---- */

static u64 amdv1_leaf(const struct config *config, const struct native_words *words,
		      unsigned int level, unsigned int size_lg2, u32 prot)
{
	return leaf_word(config, words, 12 + NATIVE_ITEMS_LG2 * level, size_lg2, 12, prot);
}

static unsigned int amdv1_several_lg2(unsigned int level, u64 word)
{
	return 12 + 1 + ones_nr(word);
}

const struct native_format native_amdv1 = {
	.granule_lg2 = 12,
	.levels_nr = 6,
	.vasz_max_lg2 = 64,
	.oasz_max_lg2 = 52,
	.top_first = 0,
	.top_last = 5,
	.root_mode = 1, /* paging mode: the number of levels */
	.sizes = {NATIVE_SIZES(12, 20), NATIVE_SIZES(21, 29), NATIVE_SIZES(30, 38),
		  NATIVE_SIZES(40, 47), NATIVE_SIZES(48, 51)},
	.dirty = DIRTY,
	.describe = words_describe,
	.leaf = amdv1_leaf,
	.several_lg2 = amdv1_several_lg2,
};

/* ---- with a granule of 2 KiB: every address stands one bit higher ---- */

static void amdv1_mock_describe(const struct config *config, struct native_words *words)
{
	words_describe(config, words);
	words->up = 1;
}

static u64 amdv1_mock_leaf(const struct config *config, const struct native_words *words,
			   unsigned int level, unsigned int size_lg2, u32 prot)
{
	return leaf_word(config, words, 11 + NATIVE_ITEMS_LG2 * level, size_lg2, 11, prot);
}

static unsigned int amdv1_mock_several_lg2(unsigned int level, u64 word)
{
	return 11 + 1 + ones_nr(word);
}

const struct native_format native_amdv1_mock = {
	.granule_lg2 = 11,
	.levels_nr = 5,
	.vasz_max_lg2 = 56,
	.oasz_max_lg2 = 51,
	.top_first = 0,
	.top_last = 4,
	.root_mode = 1,
	.sizes = {NATIVE_SIZES(11, 19), NATIVE_SIZES(20, 28), NATIVE_SIZES(29, 37),
		  NATIVE_SIZE(38) | NATIVE_SIZES(40, 46)},
	.dirty = DIRTY,
	.describe = amdv1_mock_describe,
	.leaf = amdv1_mock_leaf,
	.several_lg2 = amdv1_mock_several_lg2,
};
