/*
 * Operands that keep the caller's rules: multiples of the smallest page, inside the legal iovas, oas
 * below the oa space's end. Addresses crowd at a few places, since that is where collisions, shared
 * tables and carries into the next level come from: near multiples of the levels' spans, at the ends of
 * the aperture and of the oa space, at the ends of earlier operands.
 *
 * Work is bounded: a map writes at most ITEMS_MAX items or so, but for one in HUGE_ONE_IN.
 */
#include "fuzzers/generate_draw.h"

#define ITEMS_MAX   2048
#define HUGE_ONE_IN 4000

u64 draw_fit(const struct draw *draw, u64 iova)
{
	iova = bits_align_down(iova, draw->page_lg2);
	return layout_iova_full(&draw->layout, layout_iova_bits(&draw->layout, iova));
}

u64 draw_room(const struct draw *draw, u64 iova)
{
	const struct config *config = &draw->layout.config;
	u64 last = bits_low(config->vasz_lg2);

	if (config->features & FEATURE_SIGN_EXTEND) {
		last = bits_low(config->vasz_lg2 - 1);
		if (iova > last)
			last = ~0ull;
	}
	return bits_align_down(last - iova == ~0ull ? ~0ull : last - iova + 1, draw->page_lg2);
}

u64 draw_pages(struct draw *draw, u32 less, u32 more)
{
	return ((u64)rng_below(&draw->rng, less + more + 1) - less) << draw->page_lg2;
}

/* draw_level_edge() - near a multiple of the span of an item of some level */
static u64 draw_level_edge(struct draw *draw)
{
	const struct layout *layout = &draw->layout;
	unsigned int level = rng_below(&draw->rng, layout->levels_nr);
	unsigned int lg2 = layout->level[level].item_lg2;
	u64 times =
		draw_percent(&draw->rng, 60) ? 1 + rng_below(&draw->rng, 8) : rng_u64(&draw->rng);

	if (lg2 >= layout->config.vasz_lg2)
		lg2 = layout->config.vasz_lg2 - 1u;
	return (times << lg2) + draw_pages(draw, 3, 2);
}

u64 draw_base(struct draw *draw)
{
	unsigned int vasz_lg2 = draw->layout.config.vasz_lg2;
	u64 half = 1ull << (vasz_lg2 - 1);

	switch (rng_below(&draw->rng, 8)) {
	case 0:
		return 0;
	case 1: /* the aperture's end; with sign extension that of all addresses */
		return 0 - draw_pages(draw, 0, 4) - draw_page(draw);
	case 2: /* the middle; with sign extension the hole's edges */
		return half + draw_pages(draw, 4, 2);
	case 3:
		return rng_u64(&draw->rng);
	}
	return draw_level_edge(draw);
}

void draw_bases(struct draw *draw)
{
	for (u32 i = 0; i < DRAW_BASES; i++) {
		draw->base[i] = draw_fit(draw, draw_base(draw));
		draw->oa_base[i] =
			bits_align_down(rng_u64(&draw->rng) & bits_low(draw->oa_lg2), 21);
	}
}

/* draw_beside() - where a range of @len would touch, overlap or just miss an earlier mapping */
static u64 draw_beside(struct draw *draw, u64 len)
{
	const struct mapping *mapping = draw_mapping(draw);

	switch (rng_below(&draw->rng, 8)) {
	case 0:
		return mapping->iova;
	case 1:
		return mapping->iova + rng_u64(&draw->rng) % mapping->len;
	case 2:
	case 3:
	case 4:
		return mapping->iova - len;
	case 5:
		return mapping->iova + mapping->len + draw_pages(draw, 0, 2);
	}
	return mapping->iova + mapping->len;
}

static u64 draw_iova(struct draw *draw, u64 len)
{
	u32 kind = rng_below(&draw->rng, 100);

	if (kind < 45 && draw->mappings_nr)
		return draw_fit(draw, draw_beside(draw, len));
	if (kind < 90)
		return draw_fit(draw, draw->base[rng_below(&draw->rng, DRAW_BASES)] +
					      draw_pages(draw, 2, 4));
	return draw_fit(draw, draw_base(draw));
}

/* draw_size() - one of the allowed page sizes, or the span of an item: as lg2 */
static unsigned int draw_size_lg2(struct draw *draw)
{
	const struct layout *layout = &draw->layout;
	u64 sizes = draw->pgsizes;
	u32 skip;

	if (draw_percent(&draw->rng, 30))
		return layout->level[rng_below(&draw->rng, layout->levels_nr)].item_lg2;
	skip = rng_below(&draw->rng, (u32)__builtin_popcountll(sizes));
	while (skip--)
		sizes &= sizes - 1;
	return bits_lowest(sizes);
}

static u64 draw_len(struct draw *draw)
{
	u32 kind = rng_below(&draw->rng, 100);
	unsigned int lg2;

	if (kind < 32)
		return draw_page(draw);
	if (kind < 56)
		return (u64)(2 + rng_below(&draw->rng, 15)) << draw->page_lg2;
	if (kind < 64)
		return draw_page(draw) << (1 + rng_below(&draw->rng, 8));
	if (kind < 67)
		return (u64)(1 + rng_below(&draw->rng, ITEMS_MAX)) << draw->page_lg2;
	lg2 = draw_size_lg2(draw);
	if (lg2 < draw->page_lg2)
		lg2 = draw->page_lg2;
	if (kind < 86)
		return (u64)(1 + rng_below(&draw->rng, kind < 78 ? 1 : 4)) << lg2;
	return bits_align_down((1ull << lg2) + draw_pages(draw, 3, 3), draw->page_lg2);
}

/*
 * congruent_lg2() - how many low bits an iova and its oa have in common: enough for the largest pages
 * that fit in @len, a size that matters, or all
 */
static unsigned int congruent_lg2(struct draw *draw, u64 len)
{
	u32 kind = rng_below(&draw->rng, 100);

	if (kind < 50)
		return bits_highest(len);
	return kind < 65 ? 64 : draw_size_lg2(draw);
}

static u64 draw_oa(struct draw *draw, u64 iova, u64 len)
{
	u64 end = 1ull << draw->oa_lg2;
	u64 base = draw->oa_base[rng_below(&draw->rng, DRAW_BASES)];
	u32 kind = rng_below(&draw->rng, 100);
	unsigned int lg2 = 64;

	if (kind < 60) {
		lg2 = congruent_lg2(draw, len);
	} else if (kind < 72 && draw->mappings_nr) {
		const struct mapping *mapping = draw_mapping(draw);

		base = kind < 66 ? mapping->oa + (iova - mapping->iova) : mapping->oa;
		lg2 = 0;
	} else if (kind < 78) {
		base = 0;
		lg2 = kind < 75 ? 0 : draw_size_lg2(draw);
	} else if (kind < 88) {
		base = end - len - draw_pages(draw, 0, 1);
		lg2 = 0;
	} else {
		base += draw_pages(draw, 8, 8);
		lg2 = 0;
	}
	base = (base & ~bits_low(lg2)) | (iova & bits_low(lg2));
	base = bits_align_down(base & (end - 1), draw->page_lg2);
	return base > end - len ? end - len : base;
}

/* item_lg2() - bytes that one item of a leaf of 2^@size_lg2 stands for */
static unsigned int item_lg2(const struct draw *draw, unsigned int size_lg2)
{
	unsigned int granule_lg2 = draw->layout.granule_lg2;

	return granule_lg2 + (size_lg2 - granule_lg2) / 9 * 9;
}

/* items() - items that mapping @iova to @oa writes, both ends of each size counted in full */
static u64 items(const struct draw *draw, u64 iova, u64 oa, u64 len)
{
	u64 sizes = draw->pgsizes & bits_low(bits_lowest(iova ^ oa) + 1);
	unsigned int lg2 = draw->page_lg2;
	u64 sum = 0;

	for (sizes &= sizes - 1; sizes && 1ull << bits_lowest(sizes) <= len; sizes &= sizes - 1) {
		unsigned int next_lg2 = bits_lowest(sizes);

		sum += (-iova & bits_low(next_lg2)) >> item_lg2(draw, lg2);
		sum += ((iova + len) & bits_low(next_lg2)) >> item_lg2(draw, lg2);
		iova += -iova & bits_low(next_lg2);
		lg2 = next_lg2;
	}
	return sum + (len >> item_lg2(draw, lg2));
}

static u8 draw_prot(struct draw *draw)
{
	u32 kind = rng_below(&draw->rng, 100);
	bool force = draw->layout.config.features & FEATURE_FORCE_WRITEABLE;
	u32 prot = MAP_PROT_READ | MAP_PROT_WRITE;

	if (kind < 25 && !force)
		prot = MAP_PROT_READ;
	else if (kind < 40 && draw->write_only)
		prot = MAP_PROT_WRITE;
	if (draw->odd_prot)
		prot |= (u32)rng_u64(&draw->rng) &
			(MAP_PROT_CACHE | MAP_PROT_NOEXEC | MAP_PROT_MMIO);
	else if (kind & 1)
		prot |= MAP_PROT_CACHE;
	return (u8)prot;
}

/* taken() - whether a mapping that was made before, and still is for all we know, is in the way */
static bool taken(const struct draw *draw, u64 iova, u64 len)
{
	for (u32 i = 0; i < draw->mappings_nr; i++) {
		const struct mapping *mapping = &draw->mapping[i];

		if (iova <= mapping->iova + (mapping->len - 1) && mapping->iova <= iova + (len - 1))
			return true;
	}
	return false;
}

static void remember(struct draw *draw, const struct op *op)
{
	u32 slot = draw->mappings_nr < DRAW_MAPPINGS ? draw->mappings_nr++
						     : rng_below(&draw->rng, DRAW_MAPPINGS);

	draw->mapping[slot] = (struct mapping){op->iova, op->oa, op->len};
}

/* shorter() - @len, or less, so that it fits in @room bytes, in whole pages */
static u64 shorter(const struct draw *draw, u64 len, u64 room)
{
	room = bits_align_down(room, draw->page_lg2);
	return len <= room ? len : room;
}

void draw_map(struct draw *draw, struct op *op)
{
	u64 len = draw_len(draw);
	u64 space = 1ull << draw->oa_lg2;
	u32 collide_percent = op->code == OP_MAP_UNWIND ? 50 : 8;
	bool one_page = !(len & (len - 1));
	bool free = false;

	for (u32 try = 0; try < 4; try++) {
		op->iova = draw_iova(draw, len);
		if (one_page && draw_percent(&draw->rng, 50))
			op->iova = draw_fit(draw, bits_align_down(op->iova, bits_lowest(len)));
		op->len = shorter(draw, shorter(draw, len, draw_room(draw, op->iova)), space);
		free = op->len && !taken(draw, op->iova, op->len);
		if (free || (op->len && draw_percent(&draw->rng, collide_percent)))
			break;
	}
	if (!op->len)
		op->len = draw_page(draw);
	op->oa = draw_oa(draw, op->iova, op->len < space ? op->len : space);
	if (op->len >> draw->layout.granule_lg2 > ITEMS_MAX &&
	    items(draw, op->iova, op->oa, op->len) > ITEMS_MAX &&
	    !rng_one_in(&draw->rng, HUGE_ONE_IN))
		op->len = (u64)(1 + rng_below(&draw->rng, 64)) << draw->page_lg2;
	op->prot = draw_prot(draw);
	if (free)
		remember(draw, op);
}
