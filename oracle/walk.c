/*
 * The hardware walk over the device view, from the root, as a device does it: nothing here relies on
 * what the oracle remembers of tables. It serves three needs: to find where the tables and the model
 * part once a cheaper check has said that they do, to check everything in paranoid mode, and to print.
 */
#include "oracle/state.h"

void oracle_walk(const struct oracle *oracle, u64 iova, struct entry *entry, unsigned int *level)
{
	s64 page = oracle->root;

	*entry = (struct entry){.kind = ENTRY_EMPTY};
	*level = oracle->root_level;
	if (layout_iova_bits(&oracle->layout, iova) &
	    ~bits_low(oracle->layout.level[*level].item_lg2 +
		      oracle->layout.level[*level].items_lg2))
		return;
	while (page >= 0) {
		const u64 *items = host_device_page(oracle->host, (u32)page);
		unsigned int index = layout_index(&oracle->layout, *level, iova);

		if (oracle->host->page[page].state != HOST_PAGE_LIVE) {
			entry->kind = ENTRY_BAD;
			entry->why = "the table page is free";
			return;
		}
		layout_decode(&oracle->layout, *level, items[index], entry);
		if (entry->kind != ENTRY_TABLE || !*level)
			return;
		page = host_page_of(oracle->host, entry->oa);
		--*level;
	}
	entry->kind = ENTRY_BAD;
	entry->why = "the entry leads to memory that holds no table";
}

/*
 * Where in @run hardware first disagrees with the model; false when it never does. Item by item: some
 * items of an entry that takes several may be missing.
 */
static bool run_locate(const struct oracle *oracle, const struct run *run, u64 *where,
		       struct entry *entry)
{
	u64 iova = run->range.first;
	unsigned int level;

	for (;;) {
		u64 last;

		oracle_walk(oracle, iova, entry, &level);
		last = iova | bits_low(oracle->layout.level[level].item_lg2);
		*where = iova;
		if (entry->kind != ENTRY_LEAF || entry_oa(entry, iova) != iova + run->delta)
			return true;
		if (last >= run->range.last)
			return false;
		iova = last + 1;
	}
}

/* The model and the tables hold different sums: say where. */
void entries_locate(struct oracle *oracle)
{
	const struct run *run = model_next(&oracle->model, 0);
	struct entry entry;
	u64 where;

	while (run) {
		if (run_locate(oracle, run, &where, &entry)) {
			say_want(say(oracle, RULE_TRANSLATION,
				     entry.kind == ENTRY_EMPTY ? "missing" : "wrong-entry",
				     "iova 0x%llx reads as %s", where,
				     entry.kind == ENTRY_EMPTY ? "not present"
				     : entry.kind == ENTRY_BAD ? entry.why
							       : "another translation"),
				 "oa 0x%llx", where + run->delta);
			return;
		}
		run = run->range.last == ~0ull ? NULL
					       : model_next(&oracle->model, run->range.last + 1);
	}
	say_want(say(oracle, RULE_TRANSLATION, "stale",
		     "0x%llx bytes are translated, somewhere outside what is mapped",
		     oracle->leaf_bytes),
		 "0x%llx bytes", oracle->model.bytes);
}

/* Sums the leaves below @page, comparing each with the model. Reads the device view only. */
static u64 walk_table(struct oracle *oracle, u32 page, unsigned int level, u64 base)
{
	const u64 *items = host_device_page(oracle->host, page);
	const struct layout_level *at = &oracle->layout.level[level];
	struct entry entry;
	u64 bytes = 0;

	for (u32 item = 0; item < HOST_ITEMS; item++) {
		u64 iova = layout_iova_full(&oracle->layout, base + ((u64)item << at->item_lg2));
		const struct run *run;
		s64 child;

		layout_decode(&oracle->layout, level, items[item], &entry);
		if (entry.kind == ENTRY_TABLE && level) {
			child = host_page_of(oracle->host, entry.oa);
			if (child >= 0 && oracle->host->page[child].state == HOST_PAGE_LIVE)
				bytes += walk_table(oracle, (u32)child, level - 1,
						    base + ((u64)item << at->item_lg2));
			continue;
		}
		if (entry.kind != ENTRY_LEAF)
			continue;
		run = model_find(&oracle->model, iova);
		bytes += 1ull << at->item_lg2;
		if (!run || entry_oa(&entry, iova) != iova + run->delta)
			say_want(say(oracle, RULE_TRANSLATION, run ? "wrong-oa" : "unexpected",
				     "iova 0x%llx reads 0x%llx (paranoid walk)", iova, items[item]),
				 "%s", run ? "the oa that was mapped" : "no translation");
	}
	return bytes;
}

void walk_unreported(struct oracle *oracle)
{
	s64 page = host_unreported(oracle->host);

	if (page >= 0)
		say(oracle, RULE_TRANSLATION, "unreported-store",
		    "the page at pa 0x%llx changed without a store that was reported",
		    host_page_pa(oracle->host, (u32)page));
}

void walk_paranoid(struct oracle *oracle)
{
	u64 bytes;

	walk_unreported(oracle);
	if (oracle->root < 0 || oracle->verdicts.stop)
		return;
	bytes = walk_table(oracle, (u32)oracle->root, oracle->root_level, 0);
	if (bytes != oracle->model.bytes)
		entries_locate(oracle);
	entries_check_all(oracle);
}
