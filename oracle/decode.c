/*
 * An entry as hardware reads it. Source: the masks of layout_init(), made from the rows; the order
 * of checks follows VT-d 3.7, SDM volume 3A 4.5, AMD IOMMU 2.2.3, RISC-V Priv. 4.3.2 and DDI
 * 0487 D8.3.1. It runs for every changed entry, so that it is a few masks and one switch. Left out: permissions that
 * entries higher up take away (table entries are checked to take none), and updates of A and D.
 */
#include "oracle/layout.h"

static inline void bad(struct entry *entry, const char *why)
{
	entry->kind = ENTRY_BAD;
	entry->why = why;
}

static inline void table(const struct layout *layout, const struct layout_level *at, u64 word,
			 struct entry *entry)
{
	entry->kind = ENTRY_TABLE;
	entry->read = (word & layout->table_read) == layout->table_read;
	entry->write = (word & layout->table_write) == layout->table_write;
	entry->oa = ((word & at->table_oa) << layout->oa_left) >> layout->oa_right;
	entry->reserved = word & at->table_reserved;
}

static inline void leaf(const struct layout *layout, const struct layout_level *at, u64 word,
			struct entry *entry)
{
	entry->kind = ENTRY_LEAF;
	entry->size_lg2 = entry->oa_lg2 = at->item_lg2;
	entry->read = (word & at->read) == at->read;
	entry->write = (word & at->write) == at->write && !(word & at->read_only);
	entry->oa = ((word & at->leaf_oa) << layout->oa_left) >> layout->oa_right;
	entry->reserved = word & at->leaf_reserved;
}

static inline bool several_items(const struct layout_level *at, u64 word)
{
	return at->contiguous && (word & at->contiguous) == at->contiguous_want;
}

/*
 * A leaf of several items: its size is in the run of ones (AMD IOMMU 2.2.3) or zeros (Svnapot) at
 * the low end of the oa field. An oa has these bits 0.
 */
static inline void contiguous(const struct layout *layout, const struct layout_level *at, u64 word,
			      struct entry *entry)
{
	unsigned int size_lg2;
	u64 run;

	leaf(layout, at, word, entry);
	run = (entry->oa ^ layout->contiguous_flip) >> layout->granule_lg2;
	size_lg2 = layout->granule_lg2 + 1 + bits_lowest(run);
	if (size_lg2 >= 64 || !(at->contiguous_sizes >> size_lg2 & 1)) {
		bad(entry, "size of the contiguous entry is not one of this level");
		return;
	}
	entry->size_lg2 = entry->oa_lg2 = (u8)size_lg2;
	entry->oa &= ~bits_low(size_lg2);
}

static inline void decode_next_level(const struct layout *layout, unsigned int level, u64 word,
				     struct entry *entry)
{
	const struct layout_level *at = &layout->level[level];
	u64 next = bits_get(word, at->leaf);
	u64 low;

	if (next == 0) {
		leaf(layout, at, word, entry);
		low = entry->oa & bits_low(at->item_lg2);
		entry->oa ^= low;
		entry->reserved |= (low << layout->oa_right) >> layout->oa_left;
		if (!(at->leaf_sizes >> at->item_lg2 & 1))
			bad(entry, "no page has the size of this level's items");
	} else if (several_items(at, word)) {
		contiguous(layout, at, word, entry);
	} else if (next == level) {
		table(layout, at, word, entry);
	} else {
		bad(entry, next > level ? "next level is not a lower one" : "skips a level");
	}
}

static inline void decode_permissions(const struct layout *layout, unsigned int level, u64 word,
				      struct entry *entry)
{
	const struct layout_level *at = &layout->level[level];

	if (!(word & at->leaf)) {
		if (level)
			table(layout, at, word, entry);
		else
			bad(entry, "pointer to a table below the lowest level");
		return;
	}
	if (several_items(at, word))
		contiguous(layout, at, word, entry);
	else
		leaf(layout, at, word, entry);
	if ((word & at->write) && !(word & at->read))
		bad(entry, "writable but not readable");
	else if (entry->oa & bits_low(at->item_lg2))
		bad(entry, "page is not aligned to its size");
	else if (at->memory_type && (word & at->memory_type) == at->memory_type)
		bad(entry, "reserved memory type");
}

static inline void decode_leaf_mark(const struct layout *layout, unsigned int level, u64 word,
				    struct entry *entry)
{
	const struct layout_level *at = &layout->level[level];

	if (!(word & at->leaf))
		table(layout, at, word, entry);
	else if (at->leaf_sizes)
		leaf(layout, at, word, entry);
	else
		bad(entry, "marked as a page on a level without pages");
}

static inline void decode_not_block(const struct layout *layout, unsigned int level, u64 word,
				    struct entry *entry)
{
	const struct layout_level *at = &layout->level[level];

	if (word & at->leaf && level) {
		table(layout, at, word, entry);
		return;
	}
	if (!(word & at->leaf) && !level)
		bad(entry, "marked as a block on the level of pages");
	else if (!at->leaf_sizes)
		bad(entry, "marked as a block on a level without blocks");
	else
		leaf(layout, at, word, entry);
	if (entry->kind == ENTRY_LEAF && several_items(at, word))
		entry->size_lg2 = (u8)bits_lowest(at->contiguous_sizes);
}

void layout_decode(const struct layout *layout, unsigned int level, u64 word, struct entry *entry)
{
	*entry = (struct entry){.kind = ENTRY_EMPTY};
	if (!(word & layout->level[level].present))
		return;
	switch ((enum layout_decode)layout->decode) {
	case DECODE_LEAF_MARK:
		decode_leaf_mark(layout, level, word, entry);
		break;
	case DECODE_NEXT_LEVEL:
		decode_next_level(layout, level, word, entry);
		break;
	case DECODE_PERMISSIONS:
		decode_permissions(layout, level, word, entry);
		break;
	case DECODE_NOT_BLOCK:
		decode_not_block(layout, level, word, entry);
		break;
	}
}
