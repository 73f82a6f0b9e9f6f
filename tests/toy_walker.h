/*
 * A small page-table walker for testing the oracle: right by default, and otherwise with exactly one
 * deliberate mistake, chosen by which member of toy_walkers[] is used. Written from docs/contract.md and
 * from docs/formats.md, not from the oracle. It goes leaf by leaf and stores one item at a time: slow,
 * and simple enough to be read in one go.
 *
 * toy_walker.c opens and closes, toy_walker_format.c and
 * toy_walker_armv8.c make entries and read them, toy_walker_map.c
 * maps, toy_walker_unmap.c unmaps, syncs and looks up, toy_walker_dirty.c asks for dirty pages,
 * toy_walker_run.c keeps it from doing too much: neighbouring leaves share one walk from the top and one
 * flush.
 */
#ifndef TESTS_TOY_WALKER_H
#define TESTS_TOY_WALKER_H

#include "core/base/bits.h"
#include "core/host/host.h"
#include "core/walker.h"

enum toy_mistake {
	TOY_RIGHT,
#define MISTAKE(id, about, program, signatures) TOY_##id,
#include "tests/toy_mistake.def"
#undef MISTAKE
	TOY_NR
};

extern const struct walker toy_walkers[TOY_NR];

#define TOY_LEVELS 6

enum toy_kind {
	TOY_EMPTY,
	TOY_LEAF,
	TOY_TABLE,
};

struct toy_entry {
	enum toy_kind kind;
	unsigned int size_lg2; /* leaf: bytes of the whole entry */
	u64 oa;		       /* leaf: oa of its first byte; table: pa of the lower table */
};

/**
 * struct toy_format - what the code has to know of a format
 * @sizes: by level, page sizes whose entries stand there
 * @top_first, @top_last: levels that a top may have
 * @root_mode: what hardware calls a top of level 0
 * @vasz_exact: vasz is what the top can reach, and decides the top
 * @top_by_vasz: the top is the lowest that reaches vasz
 * @own_oa: each item of a leaf has its own oa; otherwise its items are all the same
 * @dirty: the bit that hardware sets in an item of a leaf that it writes through; 0: not tracked
 * @leaf: one item of a leaf of 2^size_lg2 bytes
 * @table: an item of @level that leads to the table at @pa
 */
struct toy_format {
	u8 granule_lg2;
	u8 levels_nr;
	u8 vasz_max_lg2;
	u8 oasz_max_lg2;
	u8 top_first;
	u8 top_last;
	u8 root_mode;
	bool vasz_exact;
	bool top_by_vasz;
	bool own_oa;
	u32 features;
	u64 sizes[TOY_LEVELS];
	u64 dirty;
	u64 (*leaf)(const struct walker_table *t, unsigned int size_lg2, u64 oa, u32 prot);
	u64 (*table)(const struct walker_table *t, unsigned int level, u64 pa);
	struct toy_entry (*read)(const struct walker_table *t, unsigned int level, u64 word);
};

/**
 * struct walker_table - an open table
 * @root, @top: the top table and its level
 * @pgsizes: what is allowed
 * @run: the table in which the last leaf was mapped, of @run_level and around @run_iova; or NULL
 * @dirty, @dirty_nr: neighbouring items that were stored and not flushed
 * @last_table, @freed: LOAD_FREED, LINKS_FREED: what a walker should not remember
 */
struct walker_table {
	struct host *host;
	const struct toy_format *format;
	struct config config;
	enum toy_mistake mistake;
	u64 *root;
	unsigned int top;
	u64 pgsizes;
	u64 *run;
	unsigned int run_level;
	u64 run_iova;
	u64 *dirty;
	u32 dirty_nr;
	u64 *last_table;
	u64 *freed;
};

/* toy_is() - whether this walker makes that mistake */
#define toy_is(t, id) ((t)->mistake == TOY_##id)

extern const struct toy_format *const toy_formats[FORMAT_NR];
extern const struct toy_format toy_armv8_s1;
extern const struct toy_format toy_armv8_s2;

/* Geometry: bytes, as a power of two, of an item and of a whole table. */
static inline unsigned int toy_item_lg2(const struct walker_table *t, unsigned int level)
{
	return t->format->granule_lg2 + 9 * level;
}

static inline unsigned int toy_span_lg2(const struct walker_table *t, unsigned int level)
{
	unsigned int lg2 = toy_item_lg2(t, level) + 9;

	return lg2 < t->config.vasz_lg2 ? lg2 : t->config.vasz_lg2;
}

static inline u64 toy_bits(const struct walker_table *t, u64 iova)
{
	return iova & bits_low(t->config.vasz_lg2);
}

static inline u32 toy_index(const struct walker_table *t, unsigned int level, u64 iova)
{
	return (u32)(toy_bits(t, iova) >> toy_item_lg2(t, level)) & (HOST_ITEMS - 1);
}

/* toy_in_reach() - whether the top is tall enough for @iova */
static inline bool toy_in_reach(const struct walker_table *t, u64 iova)
{
	return !(toy_bits(t, iova) & ~bits_low(toy_span_lg2(t, t->top)));
}

/* toy_legal() - whether callers may use first..last */
static inline bool toy_legal(const struct walker_table *t, u64 first, u64 last)
{
	bool sign = t->config.features & FEATURE_SIGN_EXTEND;
	u64 low = bits_low(t->config.vasz_lg2 - sign);

	return first <= last && (last <= low || (sign && first >= ~low));
}

/* toy_items() - how many items a leaf of this size has, and on which level they are */
static inline u32 toy_items(const struct walker_table *t, unsigned int size_lg2,
			    unsigned int *level)
{
	*level = 0;
	while (!(t->format->sizes[*level] >> size_lg2 & 1))
		++*level;
	return 1u << (size_lg2 - toy_item_lg2(t, *level));
}

/* toy_load() - the entry at @item of a table of @level */
static inline struct toy_entry toy_load(struct walker_table *t, unsigned int level, u64 *item)
{
	return t->format->read(t, level, host_load(t->host, item));
}

/* toy_table_of() - the first item of the table that holds @item */
static inline u64 *toy_table_of(const struct walker_table *t, u64 *item)
{
	return item - (((u8 *)item - t->host->cpu) & (HOST_PAGE_BYTES - 1)) / sizeof(*item);
}

/* toy_walker.c */
void toy_flush(struct walker_table *t, const void *pointer, u64 bytes);
void toy_put(struct walker_table *t, u64 *item, u64 word);
u64 *toy_alloc(struct walker_table *t);
void toy_free(struct walker_table *t, u64 *table);

/* toy_walker_run.c */

/* toy_put_run() - stores @word; it is flushed together with its neighbours, at the latest by toy_flush_run() */
void toy_put_run(struct walker_table *t, u64 *item, u64 word);
void toy_flush_run(struct walker_table *t);

/* toy_run_find() - the table of @level in which the leaf before was mapped, if @iova is in it, or NULL */
u64 *toy_run_find(const struct walker_table *t, unsigned int level, u64 iova);

/* toy_read_table() - reads every item of a table and makes nothing of it */
void toy_read_table(struct walker_table *t, u64 *items);

/* toy_run_work() - what the walkers that do too much do for each leaf at @item of a table of @level */
void toy_run_work(struct walker_table *t, unsigned int level, u64 *item);

/* toy_recurse() - a walker that descends and never comes back */
u64 toy_recurse(struct walker_table *t, u64 depth);

/* toy_free_tree() - frees the table @items and all below it */
void toy_free_tree(struct walker_table *t, unsigned int level, u64 *items);

/* toy_is_empty() - whether no leaf is in the table @items of @level or below it */
bool toy_is_empty(struct walker_table *t, unsigned int level, u64 *items);

/* toy_walker_map.c, toy_walker_unmap.c, toy_walker_dirty.c: see struct walker */
int toy_map(struct walker_table *t, u64 iova, u64 oa, u64 len, u32 prot, u64 *mapped);
u64 toy_unmap(struct walker_table *t, u64 iova, u64 len, struct walker_gather *gather);
void toy_sync(struct walker_table *t, struct walker_gather *gather);
u64 toy_iova_to_phys(struct walker_table *t, u64 iova);
int toy_dirty(struct walker_table *t, u64 iova, u64 len, u32 flags, u8 *bitmap,
	      struct walker_gather *gather);

#endif
