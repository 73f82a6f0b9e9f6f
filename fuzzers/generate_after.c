/*
 * Operations on what earlier maps have made: unmaps of all of it, of its ends, of its middle, of more
 * than it, and lookups in it and at its edges.
 */
#include "fuzzers/generate_draw.h"

/* forget() - @bytes from the start of @mapping are gone */
static void forget(struct draw *draw, struct mapping *mapping, u64 bytes)
{
	if (bytes >= mapping->len) {
		*mapping = draw->mapping[--draw->mappings_nr];
		return;
	}
	mapping->iova += bytes;
	mapping->oa += bytes;
	mapping->len -= bytes;
}

/* whole_pages() - some pages of @bytes, at least one and not all if there are several */
static u64 whole_pages(struct draw *draw, u64 bytes)
{
	u64 pages = bytes >> draw->page_lg2;

	if (pages <= 1)
		return draw_page(draw);
	return (1 + rng_u64(&draw->rng) % (pages - 1)) << draw->page_lg2;
}

/* to_span() - bytes from @iova to the end of what some table translates, and of @len at least */
static u64 to_span(struct draw *draw, u64 iova, u64 len)
{
	const struct layout *layout = &draw->layout;
	unsigned int lg2 = layout->level[rng_below(&draw->rng, layout->levels_nr)].item_lg2;

	return len + (-(iova + len) & bits_low(lg2));
}

static void unmap_mapping(struct draw *draw, struct op *op)
{
	struct mapping *mapping = draw_mapping(draw);
	const struct mapping *other = draw_mapping(draw);
	u32 kind = rng_below(&draw->rng, 100);
	u64 inside = 0;

	op->iova = mapping->iova;
	op->len = mapping->len;
	if (kind < 45) { /* all of it */
	} else if (kind < 60) {
		op->len = whole_pages(draw, mapping->len);
	} else if (kind < 68) {
		op->len = draw_page(draw);
	} else if (kind < 78) {
		inside = whole_pages(draw, mapping->len);
		if (inside < mapping->len) {
			op->iova += inside;
			op->len = kind < 73 ? op->len - inside : draw_page(draw);
		}
	} else if (kind < 86 && other->iova > mapping->iova) {
		op->len = other->iova + other->len - mapping->iova;
	} else if (kind < 94) {
		op->len = to_span(draw, mapping->iova, mapping->len);
	} else {
		op->len += draw_pages(draw, 0, 3) + draw_page(draw);
	}
	if (op->iova == mapping->iova)
		forget(draw, mapping, op->len);
	else
		mapping->len = inside;
}

void draw_unmap(struct draw *draw, struct op *op)
{
	u64 room;

	if (draw->mappings_nr && !draw_percent(&draw->rng, 8)) {
		unmap_mapping(draw, op);
	} else {
		op->iova = draw_fit(draw, draw->base[rng_below(&draw->rng, DRAW_BASES)] +
						  draw_pages(draw, 2, 4));
		op->len = draw_page(draw) << rng_below(&draw->rng, 10);
	}
	room = draw_room(draw, op->iova);
	if (op->len > room)
		op->len = room;
	if (!op->len)
		op->len = draw_page(draw);
}

void draw_lookup(struct draw *draw, struct op *op)
{
	u32 kind = rng_below(&draw->rng, 100);
	const struct mapping *mapping;

	if (kind >= 85 || !draw->mappings_nr) {
		op->iova = kind & 1 ? draw_base(draw) + rng_below(&draw->rng, 4096)
				    : draw->base[rng_below(&draw->rng, DRAW_BASES)];
		return;
	}
	mapping = draw_mapping(draw);
	op->iova = mapping->iova;
	if (kind < 40)
		op->iova += rng_u64(&draw->rng) % mapping->len;
	else if (kind < 50)
		op->iova += mapping->len - 1;
	else if (kind < 60)
		op->iova += mapping->len;
	else if (kind < 68)
		op->iova--;
	/* a byte with oa 0 answers as one without translation does */
	if (!mapping->oa && op->iova == mapping->iova)
		op->iova++;
}
