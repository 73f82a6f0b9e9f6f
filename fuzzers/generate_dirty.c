/*
 * What devices write and which ranges are asked about: ends lie at the edges of earlier mappings, of the
 * pages and of the items inside them, and a page or a byte beside these, so that queries start and end in
 * the middle of entries of any size. And allocations to be refused.
 */
#include "fuzzers/generate_draw.h"

#define PIECES_MAX 4096 /* of pages in a range, mostly far fewer */

/* near() - an address in @mapping or at its ends, of the kind where entries begin and end */
static u64 near(struct draw *draw, const struct mapping *mapping)
{
	const struct layout *layout = &draw->layout;
	u64 inside = rng_u64(&draw->rng) % mapping->len;
	u64 sizes = draw->pgsizes;
	unsigned int lg2;

	switch (rng_below(&draw->rng, 8)) {
	case 0:
	case 1:
		return mapping->iova;
	case 2:
		return mapping->iova + mapping->len;
	case 3:
		lg2 = layout->level[rng_below(&draw->rng, layout->levels_nr)].item_lg2;
		return bits_align_down(mapping->iova + inside, lg2);
	case 4:
		for (u32 skip = rng_below(&draw->rng, (u32)__builtin_popcountll(sizes)); skip;
		     skip--)
			sizes &= sizes - 1;
		return bits_align_down(mapping->iova + inside, bits_lowest(sizes));
	}
	return mapping->iova + inside;
}

static void draw_range(struct draw *draw, struct op *op)
{
	const struct mapping *mapping;
	u64 first, end, most;

	if (!draw->mappings_nr) {
		op->iova = draw->base[rng_below(&draw->rng, DRAW_BASES)];
		op->len = draw_page(draw);
		return;
	}
	mapping = draw_mapping(draw);
	first = near(draw, mapping) + draw_pages(draw, 1, 1);
	end = near(draw, draw_percent(&draw->rng, 80) ? mapping : draw_mapping(draw)) +
	      draw_pages(draw, 1, 1);
	op->iova = draw_fit(draw, first);
	most = (u64)(1 + rng_below(&draw->rng, rng_one_in(&draw->rng, 8) ? PIECES_MAX : 64))
	       << draw->page_lg2;
	op->len = bits_align_down(end, draw->page_lg2) - op->iova;
	if (op->len > most)
		op->len = draw_percent(&draw->rng, 30) ? draw_page(draw) : most;
	if (op->len > draw_room(draw, op->iova))
		op->len = draw_room(draw, op->iova);
	if (!op->len)
		op->len = draw_page(draw);
}

/* A device writes any bytes, mostly few. */
void draw_write(struct draw *draw, struct op *op)
{
	u64 odd = rng_below(&draw->rng, 4096);

	draw_range(draw, op);
	if (draw_percent(&draw->rng, 50)) {
		op->iova += odd;
		op->len = 1 + rng_below(&draw->rng, 64);
	}
}

void draw_dirty(struct draw *draw, struct op *op)
{
	draw_range(draw, op);
	op->clear = draw_percent(&draw->rng, 60);
}

void draw_failalloc(struct draw *draw, struct op *op)
{
	u32 kind = rng_below(&draw->rng, 100);

	op->n = (u16)(1 + rng_below(&draw->rng, kind < 60 ? 3 : kind < 95 ? 12 : 128));
}
