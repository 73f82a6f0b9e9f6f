/* What one side did in one step, as far as it is compared; see fuzzers/differ.h. */
#include "core/base/bits.h"
#include "fuzzers/differ.h"

/* The syncs of the operation, from the machine's record of events. */
static void record_syncs(struct differ_syncs *syncs, const struct host *host)
{
	u64 oldest = host->events_nr > HOST_EVENTS ? host->events_nr - HOST_EVENTS : 0;
	u64 at = host->events_nr;

	*syncs = (struct differ_syncs){0};
	if (!host->op.syncs)
		return;
	for (; at > oldest && host->events[(at - 1) % HOST_EVENTS].kind != HOST_EVENT_BEGIN; at--) {
		const struct host_event *event = &host->events[(at - 1) % HOST_EVENTS];
		struct range range = {event->a, event->b};

		if (event->kind == HOST_EVENT_SYNC_ALL)
			syncs->all = true;
		if (event->kind != HOST_EVENT_SYNC)
			continue;
		syncs->hull = syncs->nr++ ? range_hull(syncs->hull, range) : range;
		syncs->leaf_levels |= (u8)event->item;
		syncs->table_levels |= (u8)(event->item >> 8);
	}
	syncs->lost = at == oldest && oldest;
}

/* The walk over the device view from the root that the table itself names. */
static void record_walk(struct differ_walk *walk, const struct executor *executor,
			const struct walker_info *info, u64 iova)
{
	const struct layout *layout = oracle_layout(executor->oracle);
	const struct host *host = executor->host;
	int level = layout_root_level(layout, info->root_mode);
	s64 page = host_page_of(host, info->root_pa);
	const struct layout_level *at;
	struct entry entry;
	u64 word;

	*walk = (struct differ_walk){0};
	if (level < 0 || level >= (int)layout->levels_nr)
		return;
	at = &layout->level[level];
	if (layout_iova_bits(layout, iova) & ~bits_low(at->item_lg2 + at->items_lg2))
		return;
	for (; page >= 0 && level >= 0 && host->page[page].state == HOST_PAGE_LIVE; level--) {
		at = &layout->level[level];
		word = host_device_page(host,
					(u32)page)[layout_index(layout, (unsigned int)level, iova)];
		layout_decode(layout, (unsigned int)level, word, &entry);
		if (entry.kind == ENTRY_LEAF) {
			walk->leaf = true;
			walk->size_lg2 = entry.size_lg2;
			walk->oa = entry.oa + (iova & bits_low(entry.size_lg2));
			walk->word = word & ~(layout->ignored | at->dirty | at->leaf_accessed |
					      at->leaf_oa);
		}
		if (entry.kind != ENTRY_TABLE)
			return;
		page = host_page_of(host, entry.oa);
	}
}

void differ_record(struct differ_record *record, const struct executor *executor,
		   const struct walker *walker, const struct step *step)
{
	const struct host *host = executor->host;
	struct walker_info info = {0};

	record->step = *step;
	record->gather = executor->gather;
	record->step.gather = &record->gather;
	/* A range that ends before it starts is none: syncing it does nothing. */
	if (record->gather.range.first > record->gather.range.last)
		record->gather.empty = true;
	record->cost = host->op;
	record->legal = oracle_op_legal(executor->oracle);
	record->left = host->escape != HOST_ESCAPE_NONE;
	record->failed_alloc = host->failed_alloc;
	record->starved = host->starved;
	record->mapped_bytes = oracle_model(executor->oracle)->bytes;
	record_syncs(&record->syncs, host);
	record->walk[0] = record->walk[1] = (struct differ_walk){0};
	if (record->left)
		return;
	if (step->op == ORACLE_OPEN && !step->error)
		walker->info(executor->table, &record->info);
	if ((step->op != ORACLE_MAP && step->op != ORACLE_UNMAP) || !step->value)
		return;
	walker->info(executor->table, &info);
	record_walk(&record->walk[0], executor, &info, step->iova);
	record_walk(&record->walk[1], executor, &info, step->iova + (step->value - 1));
}
