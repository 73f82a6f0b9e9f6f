/* What the parts of the generator share. Private to fuzzers/generate*.c. */
#ifndef FUZZERS_GENERATE_DRAW_H
#define FUZZERS_GENERATE_DRAW_H

#include "core/base/bits.h"
#include "core/base/rng.h"
#include "fuzzers/generate.h"
#include "oracle/format.h"

#define DRAW_BASES    6
#define DRAW_MAPPINGS 16

/* What an earlier map asked for and no unmap has taken back, as far as the generator follows. */
struct mapping {
	u64 iova;
	u64 oa;
	u64 len;
};

/**
 * struct draw - a program in the making
 * @layout: of the program's config; of its format's default when the config is not legal
 * @pgsizes: page sizes that the config leaves; at least one
 * @page_lg2: the smallest of them: what operands are multiples of
 * @oa_lg2: oas are below 2^this; the memory-encryption bit is not among their bits
 * @breaks: some operations break the caller's rules
 * @write_only, @odd_prot: prots other than r and rw, with and without more words, are asked for
 * @queued: the last `queue` said on
 * @dirty: hardware tells which pages it has written
 * @fail_percent: how often a map meets an allocation that fails
 * @sync_percent: how often an unmap is followed by a sync
 * @weights: by code: how often, out of @weights_sum
 * @base, @oa_base: addresses that many operations are near to
 */
struct draw {
	struct rng rng;
	struct program *program;
	struct layout layout;
	u64 pgsizes;
	unsigned int page_lg2;
	unsigned int oa_lg2;
	bool breaks;
	bool write_only;
	bool odd_prot;
	bool queued;
	bool dirty;
	u8 fail_percent;
	u8 sync_percent;
	u32 weights[OP_NR];
	u32 weights_sum;
	u64 base[DRAW_BASES];
	u64 oa_base[DRAW_BASES];
	struct mapping mapping[DRAW_MAPPINGS];
	u32 mappings_nr;
};

/* draw_percent() - true @percent times in 100 */
static inline bool draw_percent(struct rng *rng, u32 percent)
{
	return rng_below(rng, 100) < percent;
}

/* draw_mapping() - a mapping that was made before; there must be one */
static inline struct mapping *draw_mapping(struct draw *draw)
{
	return &draw->mapping[rng_below(&draw->rng, draw->mappings_nr)];
}

/* draw_page() - bytes of the smallest page */
static inline u64 draw_page(const struct draw *draw)
{
	return 1ull << draw->page_lg2;
}

/* draw_fit() - the legal, aligned iova that @iova's bits below vasz say */
u64 draw_fit(const struct draw *draw, u64 iova);

/* draw_room() - bytes from @iova, a legal one, to the end of the aperture or its half, in whole pages */
u64 draw_room(const struct draw *draw, u64 iova);

/* draw_pages() - bytes of @less pages below 0 to @more above it */
u64 draw_pages(struct draw *draw, u32 less, u32 more);

/* draw_base() - an address of the kind that bugs like; neither aligned nor legal */
u64 draw_base(struct draw *draw);

/* draw_config() - the program's config and machine, and the layout that goes with it */
void draw_config(struct draw *draw, const struct generate_options *options);

/* draw_bases() - the addresses that the program's operations crowd around */
void draw_bases(struct draw *draw);

/* draw_map() - operands of a map, all legal: it can only fail by a collision or for lack of tables */
void draw_map(struct draw *draw, struct op *op);

/* draw_unmap() - operands of an unmap, legal, mostly of what was mapped */
void draw_unmap(struct draw *draw, struct op *op);

/* draw_lookup() - an address, mostly in or beside what was mapped */
void draw_lookup(struct draw *draw, struct op *op);

/* draw_write(), draw_dirty() - a range in, around or across what was mapped */
void draw_write(struct draw *draw, struct op *op);
void draw_dirty(struct draw *draw, struct op *op);

/* draw_failalloc() - one of the first allocations, mostly */
void draw_failalloc(struct draw *draw, struct op *op);

#endif
