/*
 * An open table of the embedded walker, and what its operations share: how an entry is read, which
 * cache lines wait to be flushed, which table pages wait to be freed. Private to core/native.
 *
 * table.c opens and closes, map.c, unmap.c, lookup.c and dirty.c are the operations, gather.c knows what
 * the device has yet to forget; format.h describes formats.
 *
 * Left out: two threads in one table. Nothing here is repeated when an entry changes between being read
 * and being written.
 */
#ifndef CORE_NATIVE_TABLE_H
#define CORE_NATIVE_TABLE_H

#include "core/host/host.h"
#include "core/native/format.h"
#include "core/walker.h"

/**
 * struct walker_table - an open table; lies in the caller's memory
 * @root, @top: the top table and its level
 * @pgsizes: allowed page sizes
 * @item_lg2: by level, bytes of iova that one item translates
 */
struct walker_table {
	struct host *host;
	const struct native_format *format;
	struct config config;
	u64 *root;
	u8 top;
	bool incoherent;
	u8 item_lg2[NATIVE_LEVELS];
	u64 pgsizes;
	struct native_words words;
};

/* ---- geometry ---- */

/* table_span() - bytes that a table of @level translates, less one */
static inline u64 table_span(const struct walker_table *table, unsigned int level)
{
	return bits_low(table->item_lg2[level] + NATIVE_ITEMS_LG2);
}

static inline u32 table_index(const struct walker_table *table, unsigned int level, u64 iova)
{
	return (u32)(iova >> table->item_lg2[level]) & ((1u << NATIVE_ITEMS_LG2) - 1);
}

/* table_legal() - whether callers may use all of first..last */
static inline bool table_legal(const struct walker_table *table, u64 first, u64 last)
{
	bool halves = table->config.features & FEATURE_SIGN_EXTEND;
	u64 low = bits_low(table->config.vasz_lg2 - halves);

	return first <= last && (last <= low || (halves && first >= ~low));
}

/* table_reaches() - whether the top is tall enough for @iova, which is legal */
static inline bool table_reaches(const struct walker_table *table, u64 iova)
{
	return !(table->config.features & FEATURE_GROWING_TOP) ||
	       iova <= table_span(table, table->top);
}

/* ---- entries ---- */

static inline bool entry_is_empty(const struct walker_table *table, unsigned int level, u64 word)
{
	return !(word & table->words.level[level].present);
}

/* entry_is_table() - of an entry that is not empty */
static inline bool entry_is_table(const struct walker_table *table, unsigned int level, u64 word)
{
	const struct native_level *at = &table->words.level[level];

	return (word & at->table_mask) == at->table_value;
}

/* entry_lg2() - bytes of a leaf, all of its items together */
static inline unsigned int entry_lg2(const struct walker_table *table, unsigned int level, u64 word)
{
	const struct native_level *at = &table->words.level[level];

	if (likely((word & at->several_mask) != at->several_value))
		return table->item_lg2[level];
	return table->format->several_lg2(level, word);
}

/* entry_address() - what the address field holds */
static inline u64 entry_address(const struct walker_table *table, u64 word)
{
	return (word & table->words.address) >> table->words.up << table->words.down;
}

/* entry_place() - @address as it stands in an entry */
static inline u64 entry_place(const struct walker_table *table, u64 address)
{
	return address << table->words.up >> table->words.down;
}

/* entry_child() - the table to which an entry leads */
static inline u64 *entry_child(const struct walker_table *table, u64 word)
{
	return host_ptr(table->host, entry_address(table, word));
}

/* ---- cache lines ---- */

/**
 * struct lines - on each level, items that were stored and not flushed: first..last, in one table
 *
 * Walks go through a table in ascending order, so that lines which follow each other are flushed
 * by one call, and each once.
 */
struct lines {
	u64 *first[NATIVE_LEVELS];
	u64 *last[NATIVE_LEVELS];
};

/* lines_later() - the items first..last of one table of @level were stored and must be flushed */
void lines_later(struct walker_table *table, struct lines *lines, unsigned int level, u64 *first,
		 u64 *last);

/* lines_flush() - flushes all that waits */
void lines_flush(struct walker_table *table, struct lines *lines);

/* lines_init() - nothing waits; on a machine that snoops nothing ever will */
static inline void lines_init(const struct walker_table *table, struct lines *lines)
{
	if (table->incoherent)
		*lines = (struct lines){0};
}

/* table_flush() - all of a table that no entry leads to yet */
void table_flush(struct walker_table *table, u64 *items);

/* ---- what was removed ---- */

/**
 * struct removed - what one operation has taken away from the device
 * @first, @last: a chain of table pages, by slot + 1; 0: none
 * @leaf_levels, @table_levels: as in struct walker_gather
 */
struct removed {
	u32 first;
	u32 last;
	u8 leaf_levels;
	u8 table_levels;
};

/* removed_table() - the entry of @level that led to @items is gone; what is below is not looked at */
void removed_table(struct walker_table *table, struct removed *removed, unsigned int level,
		   u64 *items);

/*
 * gather_add() - @range is gone, and so is all that @removed holds
 * May sync what waited before, if the flush policy allows no gaps.
 */
void gather_add(struct walker_table *table, struct walker_gather *gather, struct range range,
		const struct removed *removed);

/* ---- operations; see struct walker ---- */

int native_map(struct walker_table *table, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped);
u64 native_unmap(struct walker_table *table, u64 iova, u64 len, struct walker_gather *gather);
void native_gather_init(struct walker_table *table, struct walker_gather *gather);
void native_sync(struct walker_table *table, struct walker_gather *gather);
u64 native_iova_to_phys(struct walker_table *table, u64 iova);
int native_read_and_clear_dirty(struct walker_table *table, u64 iova, u64 len, u32 flags,
				u8 *bitmap, struct walker_gather *gather);
int native_open(struct host *host, const struct config *config, void *memory,
		struct walker_table **table);
void native_close(struct walker_table *table);
void native_set_pgsizes(struct walker_table *table, u64 pgsizes);
void native_info(struct walker_table *table, struct walker_info *info);

#endif
