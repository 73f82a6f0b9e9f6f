/*
 * A whole program: what it uses, how much of it, and which operation comes next. Swarm testing (Groce
 * et al., 2012): each program draws weights of its own, so that some unmap seldom and fill up, some
 * never sync, some only map and unwind. Seven of eight keep the caller's rules, so that what they do is
 * not hidden behind refusals; in the others one operation in six breaks a rule.
 */
#include "fuzzers/generate_draw.h"

static const u8 usual_weights[OP_NR] = {
	[OP_MAP] = 10,	     [OP_UNMAP] = 7, [OP_LOOKUP] = 5, [OP_SYNC] = 1,
	[OP_MAP_UNWIND] = 2, [OP_WRITE] = 4, [OP_DIRTY] = 4,  [OP_QUEUE] = 1,
};

/* usual_weight() - what is refused, or does nothing, isn't asked for often */
static u32 usual_weight(struct draw *draw, u32 code)
{
	if (draw->dirty || (code != OP_WRITE && code != OP_DIRTY))
		return usual_weights[code];
	return code == OP_DIRTY && rng_one_in(&draw->rng, 8);
}

static void draw_swarm(struct draw *draw)
{
	static const u8 times[] = {0, 1, 2, 2, 2, 4};
	static const u8 sync_percents[] = {0, 25, 60, 100};
	static const u8 fail_percents[] = {0, 0, 0, 10, 50};
	struct rng *rng = &draw->rng;

	draw->dirty = layout_tracks_dirty(&draw->layout) &&
		      !(draw->layout.config.features & FEATURE_INCOHERENT);
	draw->weights_sum = 0;
	for (u32 code = 0; code < OP_NR; code++) {
		u32 weight = usual_weight(draw, code) * times[rng_below(rng, ARRAY_NR(times))];

		if (code == OP_MAP && !weight)
			weight = usual_weights[code];
		draw->weights[code] = weight;
		draw->weights_sum += weight;
	}
	draw->sync_percent = sync_percents[rng_below(rng, ARRAY_NR(sync_percents))];
	draw->fail_percent = fail_percents[rng_below(rng, ARRAY_NR(fail_percents))];
	draw->breaks = rng_one_in(rng, 8);
	draw->write_only = rng_one_in(rng, 4);
	draw->odd_prot = rng_one_in(rng, 3);
	draw->mappings_nr = 0;
	draw->queued = false;
}

static u32 draw_ops_nr(struct rng *rng, u32 most)
{
	u32 kind = rng_below(rng, 100);
	u32 nr;

	if (kind < 10)
		nr = 1 + rng_below(rng, 4);
	else if (kind < 85)
		nr = 4 + rng_below(rng, 21);
	else
		nr = 1 + rng_below(rng, most);
	return nr < most ? nr : most;
}

static u8 draw_code(struct draw *draw)
{
	u32 at = rng_below(&draw->rng, draw->weights_sum);
	u8 code = 0;

	while (at >= draw->weights[code])
		at -= draw->weights[code++];
	if (!draw->mappings_nr && code != OP_MAP_UNWIND && code != OP_QUEUE &&
	    !draw_percent(&draw->rng, 10))
		code = OP_MAP;
	return code;
}

/* break_range() - a range that leaves the legal iovas, or wraps */
static void break_range(struct draw *draw, struct op *op)
{
	unsigned int vasz_lg2 = draw->layout.config.vasz_lg2;
	u64 pages = draw_pages(draw, 0, 4);

	switch (rng_below(&draw->rng, 4)) {
	case 0: /* around the end of the aperture */
		op->iova = bits_low(vasz_lg2) + 1 - pages;
		break;
	case 1: /* around the start of the hole */
		op->iova = (1ull << (vasz_lg2 - 1)) - pages;
		break;
	case 2: /* past the last byte of all */
		op->iova = 0 - pages - draw_page(draw);
		break;
	case 3:
		op->iova = rng_u64(&draw->rng) << draw->page_lg2;
		break;
	}
	op->len += pages;
}

/*
 * break_oa() - oas that pass the end of the oa space, or that of all numbers, where sums wrap; never just
 * the encryption bit, which none may have
 */
static void break_oa(struct draw *draw, struct op *op)
{
	bool wraps = draw_percent(&draw->rng, 20);
	u64 pages = draw_pages(draw, wraps, 2);

	op->oa = wraps ? 0 : 1ull << draw->layout.config.oasz_lg2;
	if (wraps || pages < op->len)
		op->oa -= pages;
}

/* break_prot() - neither read nor write; or read alone where leaves must be writable */
static u8 break_prot(struct draw *draw)
{
	u32 prot = (u32)rng_u64(&draw->rng) & (MAP_PROT_CACHE | MAP_PROT_NOEXEC | MAP_PROT_MMIO);

	if (draw->layout.config.features & FEATURE_FORCE_WRITEABLE && draw_percent(&draw->rng, 50))
		prot |= MAP_PROT_READ;
	return (u8)prot;
}

/* break_op() - an operand of @op breaks the caller's rules */
static void break_op(struct draw *draw, struct op *op)
{
	struct rng *rng = &draw->rng;
	u32 operands = op_operands(op->code);
	u64 odd = 1 + rng_below(rng, (u32)bits_low(draw->page_lg2 < 20 ? draw->page_lg2 : 20));
	u32 kind = rng_below(rng, 10);

	if (kind < 3 && (operands & OPERAND_LEN))
		break_range(draw, op);
	else if (kind == 3 && (operands & OPERAND_OA))
		break_oa(draw, op);
	else if (kind == 4 && (operands & OPERAND_OA))
		op->oa += odd;
	else if (kind == 5 && (operands & OPERAND_PROT))
		op->prot = break_prot(draw);
	else if (kind == 6 && (operands & OPERAND_LEN))
		op->len += odd;
	else if (kind == 7 && (operands & OPERAND_LEN))
		op->len = draw_percent(rng, 50) ? odd : 0 - odd;
	else if (kind == 8 && (operands & OPERAND_LEN))
		op->len = 0;
	else if (operands & OPERAND_IOVA)
		op->iova += odd;
}

static void draw_op(struct draw *draw, struct op *op, u8 code)
{
	*op = (struct op){.code = code};
	switch ((enum op_code)code) {
	case OP_MAP:
	case OP_MAP_UNWIND:
		draw_map(draw, op);
		break;
	case OP_UNMAP:
		draw_unmap(draw, op);
		break;
	case OP_LOOKUP:
		draw_lookup(draw, op);
		break;
	case OP_QUEUE: /* mostly the other way */
		draw->queued ^= !draw_percent(&draw->rng, 20);
		op->len = draw->queued;
		break;
	case OP_WRITE:
		draw_write(draw, op);
		break;
	case OP_DIRTY:
		draw_dirty(draw, op);
		break;
	case OP_FAILALLOC:
		draw_failalloc(draw, op);
		break;
	case OP_SYNC:
	case OP_NR:
		break;
	}
	if (draw->breaks && rng_one_in(&draw->rng, 6))
		break_op(draw, op);
}

/* add_op() - @code, and before a map now and then an allocation to refuse */
static void add_op(struct draw *draw, u8 code, u32 most)
{
	struct program *program = draw->program;

	if (program->ops_nr && program->ops_nr + 1 < most &&
	    (code == OP_MAP || code == OP_MAP_UNWIND) &&
	    draw_percent(&draw->rng, draw->fail_percent))
		draw_op(draw, &program->op[program->ops_nr++], OP_FAILALLOC);
	draw_op(draw, &program->op[program->ops_nr++], code);
}

void generate_program(struct program *program, u64 seed, const struct generate_options *options)
{
	u32 most = options->ops_max ? options->ops_max : 64;
	struct draw draw;
	u32 nr;

	if (most > PROGRAM_OPS_MAX)
		most = PROGRAM_OPS_MAX;
	draw.rng = rng_make(seed);
	draw.program = program;
	program->walker[0] = 0;
	draw_config(&draw, options);
	draw_swarm(&draw);
	draw_bases(&draw);
	nr = draw_ops_nr(&draw.rng, most);
	program->ops_nr = 0;
	if (nr > 1 && rng_one_in(&draw.rng, 100))
		add_op(&draw, OP_FAILALLOC, nr);
	while (program->ops_nr < nr) {
		u8 code = draw_code(&draw);

		add_op(&draw, code, nr);
		if (code == OP_UNMAP && program->ops_nr < nr &&
		    draw_percent(&draw.rng, draw.sync_percent))
			add_op(&draw, OP_SYNC, nr);
	}
}
