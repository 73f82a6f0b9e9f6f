/*
 * Intel VT-d second stage. Source: Intel Virtualization Technology for Directed I/O, Architecture
 * Specification, 3.7 and 9.8 (SS-PML5E to SS-PTE), 9.3 for AW.
 *
 * An entry is there if it can be read or written. Left out: execute requests, nested memory types.
 */
#include "core/native/format.h"

#define READ	(1ull << 0)
#define WRITE	(1ull << 1)
#define LARGE	(1ull << 7) /* PS */
#define DIRTY	(1ull << 9)
#define SNOOP	(1ull << 11)
#define ADDRESS bits_field(12, 51)

static void vtdss_describe(const struct config *config, struct native_words *words)
{
	words->address = ADDRESS;
	for (unsigned int i = 0; i < NATIVE_LEVELS; i++) {
		struct native_level *level = &words->level[i];

		level->present = READ | WRITE;
		level->table_mask = LARGE;
		level->table_bits = READ | WRITE;
		native_no_several(level);
	}
	native_no_table(&words->level[0]); /* bit 7 is ignored there */
}

static u64 vtdss_leaf(const struct config *config, const struct native_words *words,
		      unsigned int level, unsigned int size_lg2, u32 prot)
{
	u64 word = level ? LARGE : 0;

	word |= prot & MAP_PROT_READ ? READ : 0;
	word |= prot & MAP_PROT_WRITE ? WRITE : 0;
	return word | (config->features & FEATURE_FORCE_COHERENCE ? SNOOP : 0);
}

const struct native_format native_vtdss = {
	.granule_lg2 = 12,
	.levels_nr = 5,
	.vasz_max_lg2 = 57,
	.oasz_max_lg2 = 52,
	.top_first = 2,
	.top_last = 4,
	.root_mode = -1, /* AW: 1 is three levels */
	.sizes = {NATIVE_SIZE(12), NATIVE_SIZE(21), NATIVE_SIZE(30)},
	.dirty = DIRTY,
	.describe = vtdss_describe,
	.leaf = vtdss_leaf,
};
