/*
 * A device that caches: an IOTLB of translations and a walk cache of pointers to tables. Its accesses come
 * at the worst moments, before and after an operation and at each store, allocation, free and sync in
 * between; what they found stays until a sync drops it. After an operation, what is still there must be
 * what the model maps or be waiting for a sync; and no cached pointer may lead to a page that is freed.
 *
 * As adversarial as the manuals allow (VT-d 6.2.4 and 6.5, AMD 2.4, RISC-V IOMMU 3.1): a large leaf is held
 * as pieces of the smallest page size, each dropped only by a sync that reaches it; a walk starts at any
 * cached pointer; a pointer goes only by a sync of all that it spans; a sync that tells levels leaves what
 * is of others; on a machine that doesn't snoop each line that was written may have been evicted. When the
 * root has changed the old one is in use, too, until a sync or the end of the operation.
 *
 * Left out: entries that are not present are not cached (VT-d caching mode, which drivers ask for apart);
 * accessed and dirty bits in the IOTLB.
 *
 * What an access costs is small against a whole map, but not against one page: one program in
 * IOTLB_PROGRAMS has the caches, chosen by its content; with oracle_watch_iotlb(always) each has.
 */
#include "oracle/state.h"

#define IOTLB_PROGRAMS 32
#define IOTLB_ACCESSES 48 /* of one operation */
#define IOTLB_STORES   12 /* of an operation's first: an access after each; then after one in eight */

void oracle_watch_iotlb(struct oracle *oracle, u64 seed, bool always)
{
	struct iotlb *iotlb = &oracle->iotlb;

	iotlb->rng = rng_make(seed);
	iotlb->active = rng_one_in(&iotlb->rng, IOTLB_PROGRAMS) || always || oracle->paranoid;
	if (!iotlb->active)
		return;
	iotlb->old_root = -1;
	iotlb->flush_comes = false;
	iotlb->leaf_at = iotlb->pointer_at = 0;
	for (u32 i = 0; i < IOTLB_LEAVES; i++)
		iotlb->leaf[i].valid = false;
	for (u32 i = 0; i < IOTLB_POINTERS; i++)
		iotlb->pointer[i].valid = false;
}

/* Caches the piece of the leaf @entry that holds @iova. */
static void leaf_insert(struct oracle *oracle, u64 iova, unsigned int level, u64 word,
			const struct entry *entry)
{
	struct iotlb *iotlb = &oracle->iotlb;
	unsigned int granule_lg2 = oracle->layout.granule_lg2;
	u64 first = bits_align_down(iova, granule_lg2);
	struct iotlb_leaf leaf = {
		.range = {first, first + bits_low(granule_lg2)},
		.oa = entry_cached_oa(entry, first),
		.word = word,
		.level = (u8)level,
		.size_lg2 = entry->size_lg2,
		.valid = true,
		.fresh = true,
	};

	for (u32 i = 0; i < IOTLB_LEAVES; i++) {
		const struct iotlb_leaf *at = &iotlb->leaf[i];

		if (at->valid && at->range.first == first && at->word == word && at->level == level)
			return;
	}
	iotlb->leaf[iotlb->leaf_at] = leaf;
	iotlb->leaf_at = (u8)((iotlb->leaf_at + 1u) % IOTLB_LEAVES);
}

static void pointer_insert(struct oracle *oracle, u64 iova, unsigned int level, u32 page)
{
	struct iotlb *iotlb = &oracle->iotlb;
	unsigned int span_lg2 = oracle->layout.level[level].item_lg2;
	struct iotlb_pointer pointer = {.page = page, .level = (u8)level, .valid = true};

	if (span_lg2 > oracle->layout.config.vasz_lg2)
		span_lg2 = oracle->layout.config.vasz_lg2;
	pointer.range.first = bits_align_down(iova, span_lg2);
	pointer.range.last = pointer.range.first + bits_low(span_lg2);
	for (u32 i = 0; i < IOTLB_POINTERS; i++) {
		const struct iotlb_pointer *at = &iotlb->pointer[i];

		if (at->valid && at->page == page && at->level == level &&
		    at->range.first == pointer.range.first)
			return;
	}
	iotlb->pointer[iotlb->pointer_at] = pointer;
	iotlb->pointer_at = (u8)((iotlb->pointer_at + 1u) % IOTLB_POINTERS);
}

/* Where the walk of @iova starts: a root, or a cached pointer. Returns the table, or -1. */
static s64 walk_start(struct oracle *oracle, u64 iova, unsigned int *level)
{
	struct iotlb *iotlb = &oracle->iotlb;
	s64 page = oracle->root;
	u64 choice = rng_u64(&iotlb->rng);
	const struct layout_level *at;

	*level = oracle->root_level;
	if (choice & 1) {
		u32 at_first = (u32)(choice >> 8) % IOTLB_POINTERS;

		for (u32 i = 0; i < IOTLB_POINTERS; i++) {
			const struct iotlb_pointer *pointer = &iotlb->pointer[at_first ^ i];

			if (pointer->valid && range_holds(pointer->range, iova)) {
				*level = pointer->level - 1u;
				return pointer->page;
			}
		}
	}
	if (iotlb->old_root >= 0 && choice & 2) {
		page = iotlb->old_root;
		*level = iotlb->old_level;
	}
	at = &oracle->layout.level[*level];
	if (layout_iova_bits(&oracle->layout, iova) & ~bits_low(at->item_lg2 + at->items_lg2))
		return -1;
	return page;
}

/* The device accesses @iova and keeps what it finds on the way. */
static void device_access(struct oracle *oracle, u64 iova)
{
	struct host *host = oracle->host;
	struct entry entry;
	unsigned int level;
	s64 page;

	if (!oracle->iotlb.accesses ||
	    !layout_iova_legal(&oracle->layout, (struct range){iova, iova}))
		return;
	oracle->iotlb.accesses--;
	page = walk_start(oracle, iova, &level);
	while (page >= 0 && host->page[page].state == HOST_PAGE_LIVE) {
		unsigned int index = layout_index(&oracle->layout, level, iova);
		bool evicted = host->page[page].differs >> (index / 8) & 1 &&
			       rng_one_in(&oracle->iotlb.rng, 2);
		u64 word = evicted ? host_cpu_page(host, (u32)page)[index]
				   : host_device_page(host, (u32)page)[index];

		layout_decode(&oracle->layout, level, word, &entry);
		if (entry.kind == ENTRY_LEAF) {
			u64 first = bits_align_down(iova, entry.size_lg2);

			leaf_insert(oracle, iova, level, word, &entry);
			leaf_insert(oracle, first + bits_low(entry.size_lg2), level, word, &entry);
			return;
		}
		if (entry.kind != ENTRY_TABLE || !level)
			return;
		page = host_page_of(host, entry.oa);
		if (page >= 0)
			pointer_insert(oracle, iova, level, (u32)page);
		level--;
	}
}

/* Accesses to both ends of the operation's range, and to somewhere in it. */
static void access_range(struct oracle *oracle)
{
	const struct current *op = &oracle->current;
	struct range range;

	if (oracle->root < 0 || !range_make(&range, op->iova, op->len))
		return;
	device_access(oracle, range.first);
	device_access(oracle, range.last);
	if ((range.last - range.first) >> oracle->layout.granule_lg2 > 1)
		device_access(oracle, range.first + rng_u64(&oracle->iotlb.rng) %
							    (range.last - range.first));
}

void iotlb_begin(struct oracle *oracle)
{
	struct iotlb *iotlb = &oracle->iotlb;

	iotlb->accesses = IOTLB_ACCESSES;
	iotlb->stores = 0;
	iotlb->old_root = -1;
	if (oracle->open && oracle->current.op != ORACLE_CLOSE)
		access_range(oracle);
}

/* After a store to a table that the device reaches. */
void iotlb_on_store(struct oracle *oracle, u32 page, u32 item)
{
	const struct table *table = &oracle->table[page];
	struct iotlb *iotlb = &oracle->iotlb;
	const struct current *op = &oracle->current;
	u64 bits = table->base + ((u64)item << oracle->layout.level[table->level].item_lg2);

	if (table->state != TABLE_LINKED || oracle->root < 0 || !iotlb->accesses ||
	    (++iotlb->stores > IOTLB_STORES && iotlb->stores % 8))
		return;
	device_access(oracle, layout_iova_full(&oracle->layout, bits));
	if (op->len)
		device_access(oracle, op->iova + rng_u64(&iotlb->rng) % op->len);
}

/* Whether a sync that tells @told (leaves | tables << 8) is about entries of @level. */
static bool level_told(const struct oracle *oracle, u32 told, unsigned int level)
{
	return !(oracle->config.features & FEATURE_DETAILED_GATHER) || told >> level & 1;
}

static void drop(struct oracle *oracle, struct range range, u32 told)
{
	struct iotlb *iotlb = &oracle->iotlb;

	iotlb->old_root = -1;
	for (u32 i = 0; i < IOTLB_LEAVES; i++)
		if (range_overlaps(iotlb->leaf[i].range, range) &&
		    level_told(oracle, told, iotlb->leaf[i].level))
			iotlb->leaf[i].valid = false;
	for (u32 i = 0; i < IOTLB_POINTERS; i++)
		if (range_covers(range, iotlb->pointer[i].range) &&
		    level_told(oracle, told >> 8, iotlb->pointer[i].level))
			iotlb->pointer[i].valid = false;
}

static void on_free(struct oracle *oracle, u32 page)
{
	for (u32 i = 0; i < IOTLB_POINTERS; i++) {
		struct iotlb_pointer *pointer = &oracle->iotlb.pointer[i];

		if (!pointer->valid || pointer->page != page)
			continue;
		pointer->valid = false;
		if (oracle->current.op == ORACLE_CLOSE)
			continue;
		say_want(say(oracle, RULE_STALE_IOTLB, "freed-table",
			     "the walk cache still leads 0x%llx..0x%llx to the table at pa 0x%llx, "
			     "which is freed",
			     pointer->range.first, pointer->range.last,
			     host_page_pa(oracle->host, page)),
			 "a sync of all of it first");
	}
}

/* Once the oracle's tables have followed the event. */
void iotlb_on_event(struct oracle *oracle, const struct host_event *event)
{
	if (event->kind == HOST_EVENT_SYNC) {
		drop(oracle, (struct range){event->a, event->b}, event->item);
	} else if (event->kind == HOST_EVENT_SYNC_ALL) {
		drop(oracle, (struct range){0, ~0ull}, 0xffff);
	} else if (event->kind == HOST_EVENT_FREE) {
		on_free(oracle, event->page);
	}
	if (oracle->open && oracle->current.op != ORACLE_CLOSE)
		access_range(oracle);
}

/* Whether what was cached of @range is still to be dropped by a sync that is known to come. */
static bool still_waits(const struct oracle *oracle, struct range range)
{
	const struct oracle_gather *gather = &oracle->gather;

	if (gather->queued)
		return oracle->iotlb.flush_comes;
	return !gather->empty && range_covers(gather->range, range);
}

/* Whether the tables now give the device other permissions than @leaf. */
static bool permissions_differ(const struct oracle *oracle, const struct iotlb_leaf *leaf)
{
	struct entry then, now;
	unsigned int level;

	layout_decode(&oracle->layout, leaf->level, leaf->word, &then);
	oracle_walk(oracle, leaf->range.first, &now, &level);
	return then.read != now.read || then.write != now.write;
}

/* What is wrong with a cached translation, or NULL. */
static const char *leaf_differs(struct oracle *oracle, const struct iotlb_leaf *leaf)
{
	const struct run *run = model_find(&oracle->model, leaf->range.first);

	if (!run || leaf->range.last > run->range.last)
		return "unmapped";
	if (leaf->oa != leaf->range.first + run->delta)
		return "old-oa";
	return permissions_differ(oracle, leaf) ? "old-permissions" : NULL;
}

static void check_leaf(struct oracle *oracle, struct iotlb_leaf *leaf)
{
	const char *differs;
	bool removed = oracle->removes && range_overlaps(oracle->removed, leaf->range);

	if (!leaf->fresh && !leaf->waits && !removed)
		return;
	leaf->fresh = false;
	differs = leaf_differs(oracle, leaf);
	leaf->waits = differs && still_waits(oracle, leaf->range);
	if (!differs || leaf->waits)
		return;
	leaf->valid = false;
	say_want(say(oracle, RULE_STALE_IOTLB, differs,
		     "the IOTLB still translates iova 0x%llx to oa 0x%llx, with nothing left to "
		     "sync",
		     leaf->range.first, leaf->oa),
		 "what is mapped there, or nothing");
}

static void check_pointer(struct oracle *oracle, struct iotlb_pointer *pointer)
{
	const struct table *table = &oracle->table[pointer->page];

	if (table->state == TABLE_LINKED && table->level + 1 == pointer->level)
		return;
	if (still_waits(oracle, pointer->range))
		return;
	pointer->valid = false;
	say_want(say(oracle, RULE_STALE_IOTLB, "table-pointer",
		     "the walk cache still leads 0x%llx..0x%llx to a removed table, with nothing "
		     "left to sync",
		     pointer->range.first, pointer->range.last),
		 "a sync of all of it");
}

/* After an operation, once the gather is remembered. */
void iotlb_check(struct oracle *oracle)
{
	struct iotlb *iotlb = &oracle->iotlb;

	if (!oracle->open || oracle->verdicts.stop)
		return;
	iotlb->old_root = -1;
	iotlb->flush_comes = oracle->gather.queued && oracle->current.op != ORACLE_SYNC &&
			     (iotlb->flush_comes || oracle->removes);
	access_range(oracle);
	for (u32 i = 0; i < IOTLB_LEAVES; i++)
		if (iotlb->leaf[i].valid)
			check_leaf(oracle, &iotlb->leaf[i]);
	for (u32 i = 0; i < IOTLB_POINTERS; i++)
		if (iotlb->pointer[i].valid)
			check_pointer(oracle, &iotlb->pointer[i]);
}
