/*
 * Which pages are page tables. A page becomes one at the moment at which an entry that leads to it is
 * stored in a table that the device can reach from its root, and stops being one when that entry is
 * overwritten. The oracle is told of every store to a reachable table above level 0, so it knows both
 * moments; at the first it checks that the table is complete in the device view (any written line may
 * be evicted, and so published, at once), at the second that nobody frees it before a covering sync.
 *
 * Source: contract, "Cache lines" and "unmap".
 */
#include "oracle/state.h"

#include <string.h>

static void table_link(struct oracle *oracle, u32 parent, u32 item, u64 pa);

static u64 *seen_page(struct oracle *oracle, u32 page)
{
	return oracle->seen + (u64)page * HOST_ITEMS;
}

struct range tables_span(const struct oracle *oracle, const struct table *table)
{
	u64 first = layout_iova_full(&oracle->layout, table->base);
	struct range span = {first, first + bits_low(table->span_lg2)};

	return span;
}

static void seen_clear(struct oracle *oracle, u32 page)
{
	struct table *table = &oracle->table[page];
	u64 *seen = seen_page(oracle, page);

	for (u64 lines = table->seen_lines; lines; lines &= lines - 1)
		memset(seen + __builtin_ctzll(lines) * 8, 0, HOST_LINE_BYTES);
	table->seen_lines = 0;
}

/* Links every table that the entries of @page lead to. Only stored lines can hold any. */
static void children_link(struct oracle *oracle, u32 page, unsigned int level)
{
	const u64 *cpu = host_cpu_page(oracle->host, page);
	struct entry entry;

	for (u64 lines = oracle->host->page[page].stored; lines; lines &= lines - 1) {
		u32 first = (u32)__builtin_ctzll(lines) * 8;

		for (u32 item = first; item < first + 8; item++) {
			layout_decode(&oracle->layout, level, cpu[item], &entry);
			if (entry.kind == ENTRY_TABLE)
				table_link(oracle, page, item, entry.oa);
		}
	}
}

static void check_complete(struct oracle *oracle, u32 page)
{
	struct host_page *host_page = &oracle->host->page[page];
	const struct table *table = &oracle->table[page];
	u32 item;

	if (lines_complete(oracle, page, host_page->differs, &item))
		return;
	say_want(say(oracle, RULE_PUBLISH_BEFORE_FLUSH,
		     host_page->stored || table->parent < 0 ? "contents" : "fresh-table",
		     "level %u table at pa 0x%llx is reachable while item %u reads 0x%llx in the "
		     "device view, 0x%llx in the CPU view",
		     table->level, host_page_pa(oracle->host, page), item,
		     host_device_page(oracle->host, page)[item],
		     host_cpu_page(oracle->host, page)[item]),
		 "all of its lines flushed before the entry that leads to it is stored");
}

static void table_publish(struct oracle *oracle, u32 page, unsigned int level, u64 base)
{
	const struct layout_level *at = &oracle->layout.level[level];
	struct table *table = &oracle->table[page];

	table->base = base;
	table->level = (u8)level;
	table->span_lg2 = at->item_lg2 + at->items_lg2;
	if (table->span_lg2 > oracle->layout.config.vasz_lg2)
		table->span_lg2 = oracle->layout.config.vasz_lg2;
	table->leaf_bytes = 0;
	table->state = TABLE_LINKED;
	seen_clear(oracle, page);
	oracle->host->page[page].watched = level > 0 || oracle->iotlb.active;
	if (oracle->linked_nr < oracle->host->pages_max)
		oracle->linked[oracle->linked_nr++] = page;
	if (!oracle->host->config.coherent)
		check_complete(oracle, page);
	if (level > 0)
		children_link(oracle, page, level);
}

static void table_link(struct oracle *oracle, u32 parent, u32 item, u64 pa)
{
	const struct table *above = &oracle->table[parent];
	const struct layout_level *at = &oracle->layout.level[above->level];
	s64 page = host_page_of(oracle->host, pa);
	u64 base = above->base + ((u64)item << at->item_lg2);
	struct table *table;

	if (page < 0 || oracle->host->page[page].state != HOST_PAGE_LIVE) {
		say(oracle, page < 0 ? RULE_TRANSLATION : RULE_USE_AFTER_FREE,
		    page < 0 ? "wild-table-pointer" : "pointer-to-free-page",
		    "level %u item %u of the table at pa 0x%llx leads to pa 0x%llx, which is no "
		    "live table",
		    above->level, item, host_page_pa(oracle->host, parent), pa);
		return;
	}
	table = &oracle->table[page];
	if (table->state == TABLE_LINKED) {
		bool old_root = table->parent < 0 && page == oracle->root && !base &&
				table->level == above->level - 1;

		if (!old_root)
			say(oracle, RULE_TRANSLATION, "table-linked-twice",
			    "level %u item %u of the table at pa 0x%llx leads to a table that is "
			    "already in use as level %u",
			    above->level, item, host_page_pa(oracle->host, parent), table->level);
		else
			table->parent = (s32)parent, table->parent_item = (u16)item;
		return;
	}
	table->parent = (s32)parent;
	table->parent_item = (u16)item;
	table_publish(oracle, (u32)page, above->level - 1u, base);
}

void tables_root(struct oracle *oracle, u64 pa, unsigned int level)
{
	s64 page = host_page_of(oracle->host, pa);
	u32 old_root = (u32)oracle->root;
	bool had_root = oracle->root >= 0;

	if (page < 0 || oracle->host->page[page].state != HOST_PAGE_LIVE ||
	    level >= oracle->layout.levels_nr) {
		say(oracle, RULE_TRANSLATION, "wild-root", "root at pa 0x%llx, level %u", pa,
		    level);
		return;
	}
	oracle->table[page].parent = -1;
	if (oracle->table[page].state != TABLE_LINKED)
		table_publish(oracle, (u32)page, level, 0);
	if (had_root && page != old_root && oracle->table[old_root].parent < 0)
		say_want(say(oracle, RULE_TRANSLATION, "old-root-lost",
			     "the new root of level %u does not lead to the old one", level),
			 "old translations stay");
	oracle->root = (s32)page;
	oracle->root_level = (u8)level;
}

static void table_cut(struct oracle *oracle, u32 page)
{
	struct table *table = &oracle->table[page];
	const u64 *cpu = host_cpu_page(oracle->host, page);
	struct entry entry;

	table->state = TABLE_CUT;
	oracle->work.cut++;
	table->synced = false;
	table->cut_at = oracle->cut_nr;
	oracle->cut[oracle->cut_nr++] = page;
	table->held_leaves = table->leaf_bytes != 0;
	oracle->levels.table |= (u8)(1u << (table->level + 1));
	oracle->leaf_bytes -= table->leaf_bytes;
	table->leaf_bytes = 0;
	oracle->host->page[page].watched = false;
	if (!table->level)
		return;
	for (u64 lines = oracle->host->page[page].stored; lines; lines &= lines - 1) {
		u32 first = (u32)__builtin_ctzll(lines) * 8;

		for (u32 item = first; item < first + 8; item++) {
			s64 child;

			layout_decode(&oracle->layout, table->level, cpu[item], &entry);
			if (entry.kind != ENTRY_TABLE)
				continue;
			child = host_page_of(oracle->host, entry.oa);
			if (child >= 0 && oracle->table[child].state == TABLE_LINKED)
				table_cut(oracle, (u32)child);
		}
	}
}

void tables_on_store(void *arg, u32 page, u32 item, u64 old, u64 new)
{
	struct oracle *oracle = arg;
	const struct table *table = &oracle->table[page];
	struct entry before, after;
	s64 child;

	if (oracle->iotlb.active) {
		iotlb_on_store(oracle, page, item);
		if (!table->level)
			return;
	}
	if (!((old ^ new) & ~oracle->layout.ignored) || table->state != TABLE_LINKED)
		return;
	layout_decode(&oracle->layout, table->level, old, &before);
	layout_decode(&oracle->layout, table->level, new, &after);
	if (after.kind == ENTRY_TABLE && before.kind == ENTRY_TABLE && before.oa == after.oa)
		return;
	if (before.kind == ENTRY_TABLE) {
		child = host_page_of(oracle->host, before.oa);
		if (child >= 0 && oracle->table[child].state == TABLE_LINKED) {
			gather_want(oracle, tables_span(oracle, &oracle->table[child]));
			table_cut(oracle, (u32)child);
		}
	}
	if (after.kind == ENTRY_TABLE)
		table_link(oracle, page, item, after.oa);
}

static void on_free(struct oracle *oracle, u32 page)
{
	struct table *table = &oracle->table[page];
	struct range span;

	if (oracle->current.op != ORACLE_CLOSE && table->state == TABLE_LINKED)
		say_want(say(oracle, RULE_USE_AFTER_FREE, "freed-while-reachable",
			     "level %u table at pa 0x%llx freed while an entry leads to it",
			     table->level, host_page_pa(oracle->host, page)),
			 "the entry cleared first");
	if (oracle->current.op != ORACLE_CLOSE && table->state == TABLE_CUT && !table->synced) {
		span = tables_span(oracle, table);
		say_want(say(oracle, RULE_SYNC_ORDER, "freed-before-sync",
			     "level %u table freed while walk caches may hold it", table->level),
			 "a sync of 0x%llx..0x%llx first", span.first, span.last);
	}
	if (table->state == TABLE_CUT) {
		u32 moved = oracle->cut[--oracle->cut_nr];

		oracle->cut[table->cut_at] = moved;
		oracle->table[moved].cut_at = table->cut_at;
	}
	table->state = TABLE_NONE;
}

/*
 * Whether the device can still walk into a table that was cut: on a machine that doesn't snoop until the
 * entry that led to it, or to the topmost of those that were cut together with it, is flushed.
 */
static bool cut_is_visible(const struct oracle *oracle, u32 page)
{
	const struct table *table = &oracle->table[page];
	struct entry entry;

	while (table->parent >= 0 && oracle->table[table->parent].state == TABLE_CUT) {
		page = (u32)table->parent;
		table = &oracle->table[page];
	}
	if (table->parent < 0 || oracle->table[table->parent].state != TABLE_LINKED)
		return false;
	layout_decode(&oracle->layout, oracle->table[table->parent].level,
		      host_device_page(oracle->host, (u32)table->parent)[table->parent_item],
		      &entry);
	return entry.kind == ENTRY_TABLE && entry.oa == host_page_pa(oracle->host, page);
}

static void on_sync(struct oracle *oracle, struct range range)
{
	gather_synced(oracle, range);
	for (u32 i = 0; i < oracle->cut_nr; i++) {
		struct table *table = &oracle->table[oracle->cut[i]];

		if (range_covers(range, tables_span(oracle, table)) &&
		    !cut_is_visible(oracle, oracle->cut[i]))
			table->synced = true;
	}
}

static void on_alloc(struct oracle *oracle, const struct host_event *event)
{
	if (event->kind == HOST_EVENT_ALLOC)
		oracle->table[event->page].state = TABLE_NONE;
	if (event->a != HOST_PAGE_BYTES)
		say_want(say(oracle, RULE_ALLOC_SIZE, "size", "an allocation of 0x%llx bytes",
			     event->a),
			 "0x%x bytes", HOST_PAGE_BYTES);
}

void tables_on_event(void *arg, const struct host_event *event)
{
	struct oracle *oracle = arg;

	switch (event->kind) {
	case HOST_EVENT_ALLOC:
	case HOST_EVENT_REFUSE:
		on_alloc(oracle, event);
		break;
	case HOST_EVENT_FREE:
		on_free(oracle, event->page);
		break;
	case HOST_EVENT_SYNC:
		levels_synced(oracle, event->item);
		on_sync(oracle, (struct range){event->a, event->b});
		break;
	case HOST_EVENT_SYNC_ALL:
		oracle->synced_all = true;
		on_sync(oracle, (struct range){0, ~0ull});
		break;
	case HOST_EVENT_CHANGE_TOP:
		oracle->root_changed = true;
		oracle->iotlb.old_root = oracle->root;
		oracle->iotlb.old_level = oracle->root_level;
		tables_root(oracle, event->a, (unsigned int)event->b);
		break;
	}
	if (oracle->iotlb.active)
		iotlb_on_event(oracle, event);
}
