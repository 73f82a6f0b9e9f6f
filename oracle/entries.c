/*
 * Entries against the model. After an operation only lines that were stored to or flushed can read
 * differently to the device, so only these are compared with how they read before (the seen image).
 * Each new leaf must be what the model says; and since the leaves of a radix table cannot overlap,
 * equal sums of mapped bytes then prove that nothing is missing and nothing is left.
 *
 * Source: contract, "map"; what an entry means comes from the format's rows.
 */
#include "oracle/state.h"

static u64 item_iova(const struct oracle *oracle, const struct table *table, u32 item)
{
	u64 offset = (u64)item << oracle->layout.level[table->level].item_lg2;

	return layout_iova_full(&oracle->layout, table->base + offset);
}

static bool item_outside(const struct oracle *oracle, const struct table *table, u32 item)
{
	u64 bits = table->base + ((u64)item << oracle->layout.level[table->level].item_lg2);

	return bits & ~bits_low(oracle->layout.config.vasz_lg2);
}

static void check_attributes(struct oracle *oracle, const struct table *table, u64 word,
			     const struct entry *entry, const struct run *run, u64 iova)
{
	u64 differs;

	if (!oracle->attr_valid || oracle->attr_prot != run->prot ||
	    oracle->attr_size != entry->size_lg2) {
		oracle->attr_prot = run->prot;
		oracle->attr_size = entry->size_lg2;
		oracle->attr_valid = true;
		layout_attributes(&oracle->layout, run->prot, entry->size_lg2, &oracle->attr_mask,
				  &oracle->attr_want);
	}
	differs = (word ^ oracle->attr_want) & oracle->attr_mask;
	if (likely(!differs))
		return;
	say_want(say(oracle, RULE_ATTRIBUTES,
		     layout_bit_name(&oracle->layout, table->level, true, differs),
		     "the leaf at iova 0x%llx is 0x%llx", iova, word),
		 "0x%llx under mask 0x%llx", oracle->attr_want, oracle->attr_mask);
}

/* Whether the model maps the leaf's whole entry, and to this oa. */
static bool check_translation(struct oracle *oracle, const struct entry *entry,
			      const struct run *run, u64 iova)
{
	u64 start = bits_align_down(iova, entry->size_lg2);
	u64 oa = entry_oa(entry, iova);

	if (!run) {
		say_want(say(oracle, RULE_TRANSLATION, "unexpected",
			     "iova 0x%llx reaches oa 0x%llx", iova, oa),
			 "no translation");
		return false;
	}
	if (oa != iova + run->delta) {
		say_want(say(oracle, RULE_TRANSLATION, "wrong-oa", "iova 0x%llx reaches oa 0x%llx",
			     iova, oa),
			 "oa 0x%llx", iova + run->delta);
		return false;
	}
	if (start < run->range.first || start + bits_low(entry->size_lg2) > run->range.last) {
		say_want(say(oracle, RULE_TRANSLATION, "too-large",
			     "the leaf at iova 0x%llx translates 0x%llx..0x%llx", iova, start,
			     start + bits_low(entry->size_lg2)),
			 "only 0x%llx..0x%llx is mapped", run->range.first, run->range.last);
		return false;
	}
	return true;
}

/* model_find() for addresses that mostly follow each other */
static const struct run *run_at(struct oracle *oracle, u64 iova)
{
	if (!oracle->run || !range_holds(oracle->run->range, iova))
		oracle->run = model_find(&oracle->model, iova);
	return oracle->run;
}

/* A leaf is gone: rightly so only if the model maps nothing there any more. */
static void check_gone(struct oracle *oracle, const struct table *table, u32 item)
{
	u64 iova = item_iova(oracle, table, item);

	if (oracle->removes && range_holds(oracle->removed, iova))
		return;
	if (run_at(oracle, iova))
		say_want(say(oracle, RULE_TRANSLATION, "missing",
			     "iova 0x%llx is no longer translated", iova),
			 "oa 0x%llx", iova + oracle->run->delta);
}

static void check_leaf(struct oracle *oracle, const struct table *table, u32 item, u64 word,
		       const struct entry *entry)
{
	u64 iova = item_iova(oracle, table, item);
	const struct run *run = run_at(oracle, iova);
	struct range leaf;

	if (item_outside(oracle, table, item)) {
		say(oracle, RULE_TRANSLATION, "outside-vasz",
		    "level %u item %u, beyond the table's iovas, holds 0x%llx", table->level, item,
		    word);
		return;
	}
	if (!check_translation(oracle, entry, run, iova))
		return;
	if (!run_leaf(run, iova, oracle->pgsizes, &leaf) ||
	    bits_low(entry->size_lg2) != leaf.last - leaf.first) {
		say_want(say(oracle, RULE_PAGE_SIZE, "not-greedy",
			     "iova 0x%llx is in a leaf of 2^%u bytes", iova, entry->size_lg2),
			 "2^%u, in 0x%llx..0x%llx mapped to 0x%llx",
			 (unsigned int)bits_highest(leaf.last - leaf.first) + 1, run->whole.first,
			 run->whole.last, run->whole.first + run->delta);
		return;
	}
	check_attributes(oracle, table, word, entry, run, iova);
}

static void check_table(struct oracle *oracle, u32 page, u32 item, u64 word,
			const struct entry *entry)
{
	const struct layout *layout = &oracle->layout;
	const struct table *table = &oracle->table[page];
	s64 child = host_page_of(oracle->host, entry->oa);
	u64 differs = (word ^ layout->table_want) & layout->table_mask;

	if (child < 0 || oracle->table[child].state != TABLE_LINKED ||
	    oracle->table[child].parent != (s32)page || oracle->table[child].parent_item != item)
		say(oracle, RULE_TRANSLATION, "wild-table-pointer",
		    "level %u item %u reads 0x%llx in the device view, which leads to pa 0x%llx",
		    table->level, item, word, entry->oa);
	if (differs)
		say_want(say(oracle, RULE_ATTRIBUTES,
			     layout_bit_name(layout, table->level, false, differs),
			     "the table entry for iova 0x%llx is 0x%llx",
			     item_iova(oracle, table, item), word),
			 "0x%llx under mask 0x%llx", layout->table_want, layout->table_mask);
}

/* One item as the device reads it now: checks it and returns the iova bytes that it translates. */
static u64 check_item(struct oracle *oracle, u32 page, u32 item, u64 word)
{
	const struct table *table = &oracle->table[page];
	struct entry entry;

	layout_decode(&oracle->layout, table->level, word, &entry);
	if (unlikely(entry.reserved))
		say_want(say(oracle, RULE_RESERVED_BITS,
			     layout_bit_name(&oracle->layout, table->level,
					     entry.kind != ENTRY_TABLE, entry.reserved),
			     "level %u item %u for iova 0x%llx is 0x%llx", table->level, item,
			     item_iova(oracle, table, item), word),
			 "bits 0x%llx clear", entry.reserved);
	switch ((enum entry_kind)entry.kind) {
	case ENTRY_EMPTY:
		return 0;
	case ENTRY_BAD:
		say(oracle, RULE_TRANSLATION, "bad-entry",
		    "level %u item %u for iova 0x%llx is 0x%llx: %s", table->level, item,
		    item_iova(oracle, table, item), word, entry.why ? entry.why : "undefined");
		return 0;
	case ENTRY_TABLE:
		check_table(oracle, page, item, word, &entry);
		return 0;
	case ENTRY_LEAF:
		check_leaf(oracle, table, item, word, &entry);
		return 1ull << oracle->layout.level[table->level].item_lg2;
	}
	return 0;
}

static u64 leaf_bytes_of(const struct oracle *oracle, const struct table *table, u64 word)
{
	struct entry entry;

	layout_decode(&oracle->layout, table->level, word, &entry);
	return entry.kind == ENTRY_LEAF ? 1ull << oracle->layout.level[table->level].item_lg2 : 0;
}

static void check_lines(struct oracle *oracle, u32 page, u64 lines)
{
	struct table *table = &oracle->table[page];
	const u64 *device = host_device_page(oracle->host, page);
	u64 *seen = oracle->seen + (u64)page * HOST_ITEMS;
	u64 bytes = 0;

	table->seen_lines |= lines;
	for (; lines; lines &= lines - 1) {
		u32 first = (u32)__builtin_ctzll(lines) * 8;

		for (u32 item = first; item < first + 8; item++) {
			u64 old = seen[item], new = device[item];
			u64 lost, won;

			if (old == new)
				continue;
			seen[item] = new;
			lost = old ? leaf_bytes_of(oracle, table, old) : 0;
			won = new ? check_item(oracle, page, item, new) : 0;
			if (lost && !won) {
				oracle->levels.leaf |= (u8)(1u << table->level);
				check_gone(oracle, table, item);
			}
			bytes += won - lost;
		}
	}
	table->leaf_bytes += bytes;
	oracle->leaf_bytes += bytes;
}

/* The leaves that a table held when it was cut are gone, too. */
static void check_cut(struct oracle *oracle, const struct table *table, u32 page)
{
	struct range span = tables_span(oracle, table);
	const struct run *run = model_next(&oracle->model, span.first);
	const u64 *seen = oracle->seen + (u64)page * HOST_ITEMS;

	if (!run || run->range.first > span.last)
		return;
	for (u32 item = 0; item < HOST_ITEMS; item++)
		if (seen[item] && leaf_bytes_of(oracle, table, seen[item]))
			check_gone(oracle, table, item);
}

void entries_check(struct oracle *oracle)
{
	struct host *host = oracle->host;

	oracle->run = NULL;
	for (u32 i = 0; i < oracle->cut_nr; i++)
		if (oracle->table[oracle->cut[i]].held_leaves) {
			oracle->levels.leaf |= (u8)(1u << oracle->table[oracle->cut[i]].level);
			check_cut(oracle, &oracle->table[oracle->cut[i]], oracle->cut[i]);
			oracle->table[oracle->cut[i]].held_leaves = false;
		}

	for (u32 i = 0; i < oracle->linked_nr; i++) {
		u32 page = oracle->linked[i];

		if (oracle->table[page].state == TABLE_LINKED)
			check_lines(oracle, page, host->page[page].stored);
	}
	for (u32 i = 0; i < host->touched_nr; i++) {
		u32 page = host->touched[i];

		if (oracle->table[page].state == TABLE_LINKED)
			check_lines(oracle, page, host->page[page].touched);
	}
	if (unlikely(oracle->leaf_bytes != oracle->model.bytes) && !oracle->verdicts.stop)
		entries_locate(oracle); /* nothing said so far explains it */
}

/* A reachable page whose device view is not what was last compared, or -1. */
static s64 page_changed(const struct oracle *oracle, u32 *item)
{
	for (u32 page = 0; page < oracle->host->pages_used; page++) {
		const u64 *seen = oracle->seen + (u64)page * HOST_ITEMS;
		const u64 *device = host_device_page(oracle->host, page);

		if (oracle->table[page].state != TABLE_LINKED ||
		    oracle->host->page[page].state != HOST_PAGE_LIVE)
			continue;
		for (u32 i = 0; i < HOST_ITEMS; i++) {
			if (seen[i] != device[i]) {
				*item = i;
				return page;
			}
		}
	}
	return -1;
}

void entries_check_all(struct oracle *oracle)
{
	u32 item = 0;
	s64 page = page_changed(oracle, &item);

	if (page >= 0)
		say_want(say(oracle, RULE_TRANSLATION, "changed-behind",
			     "level %u item %u reads 0x%llx, with no store or flush reported",
			     oracle->table[page].level, item,
			     host_device_page(oracle->host, (u32)page)[item]),
			 "0x%llx", oracle->seen[page * HOST_ITEMS + item]);
}
