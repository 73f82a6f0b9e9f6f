/*
 * What keeps the toy walker's work small: the table of the leaf before is remembered while a map goes on,
 * and neighbouring items are flushed together. And the walkers that do too much.
 */
#include "tests/toy_walker.h"

void toy_flush_run(struct walker_table *t)
{
	u64 bytes = t->dirty_nr * sizeof(u64);

	if (t->dirty_nr)
		toy_flush(t, t->dirty, bytes);
	if (t->dirty_nr && toy_is(t, FLUSH_TWICE))
		toy_flush(t, t->dirty, bytes);
	t->dirty_nr = 0;
}

void toy_put_run(struct walker_table *t, u64 *item, u64 word)
{
	bool follows = t->dirty_nr && item == t->dirty + t->dirty_nr &&
		       toy_table_of(t, item) == toy_table_of(t, t->dirty);

	if (t->dirty_nr && !follows)
		toy_flush_run(t);
	if (!t->dirty_nr)
		t->dirty = item;
	t->dirty_nr++;
	host_store(t->host, item, word);
	if (toy_is(t, FLUSHES_ITEMS))
		toy_flush_run(t);
}

u64 *toy_run_find(const struct walker_table *t, unsigned int level, u64 iova)
{
	unsigned int lg2 = toy_item_lg2(t, level) + 9;
	u64 apart = iova ^ t->run_iova;

	if (!t->run || t->run_level != level || (lg2 < 64 && apart >> lg2) ||
	    toy_is(t, MAP_REWALKS))
		return NULL;
	return t->run;
}

void toy_read_table(struct walker_table *t, u64 *items)
{
	for (u32 i = 0; i < HOST_ITEMS; i++)
		host_load(t->host, &items[i]);
}

u64 toy_recurse(struct walker_table *t, u64 depth)
{
	u64 entry = host_load(t->host, t->root);

	return entry == ~0ull ? 0 : toy_recurse(t, depth + 1) + (entry ^ depth);
}

void toy_run_work(struct walker_table *t, unsigned int level, u64 *item)
{
	if (toy_is(t, READS_TABLES))
		toy_read_table(t, toy_table_of(t, item));
	if (toy_is(t, STORES_OFTEN)) {
		toy_put_run(t, item, *item);
		toy_flush_run(t);
	}
	if (toy_is(t, CLEARS_TABLES) && !*item)
		for (u32 i = 0; i < 32; i++)
			host_store(t->host, item, 0);
}
