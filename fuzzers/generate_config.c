/*
 * Configs: mostly what an in-tree driver asks for on hardware that exists, then whatever else must
 * open (vasz from two pages up, under any top that is tall enough; any oasz; fewer page sizes), now and
 * then what may be refused, and seldom what must be. oracle/format.h says which is which; the odds
 * below are only habits. Source of the habits: docs/formats.md, "What in-tree drivers ask for".
 */
#include "fuzzers/generate_draw.h"

#define CONFIG_TRIES 8

/**
 * struct habit - what drivers ask of a format
 * @always: features that every driver asks for
 * @vasz, @oasz: usual widths, 0 where the list ends
 * @vasz_exact: there are no others
 * @top_by_vasz: the top is always the lowest that reaches vasz
 * @range_percent: flush-range; the others ask for no-gaps, apart from @neither_percent
 * @some: features that only some ask for
 */
struct habit {
	u32 always;
	u8 vasz[6];
	bool vasz_exact;
	bool top_by_vasz;
	u8 oasz[6];
	u8 range_percent;
	u8 neither_percent;
	struct {
		u32 feature;
		u8 percent;
	} some[3];
};

static const struct habit habits[FORMAT_NR] = {
	[FORMAT_vtdss] = {0,
			  {48, 57, 39, 46},
			  false,
			  false,
			  {52, 46, 39, 42},
			  100,
			  0,
			  {{FEATURE_INCOHERENT, 50},
			   {FEATURE_FORCE_COHERENCE, 30},
			   {FEATURE_FORCE_WRITEABLE, 15}}},
	[FORMAT_x86_64] = {0,
			   {48, 57, 39, 47, 56},
			   false,
			   false,
			   {52, 46, 39, 48},
			   80,
			   0,
			   {{FEATURE_INCOHERENT, 50},
			    {FEATURE_SIGN_EXTEND, 65},
			    {FEATURE_ENCRYPT_TABLES, 20}}},
	[FORMAT_amdv1] = {FEATURE_GROWING_TOP | FEATURE_ENCRYPT_TABLES | FEATURE_FORCE_COHERENCE,
			  {64, 64, 48, 57},
			  false,
			  false,
			  {52, 48, 47, 40},
			  75,
			  0,
			  {{0, 0}}},
	[FORMAT_riscv_64] = {FEATURE_SIGN_EXTEND | FEATURE_DETAILED_GATHER,
			     {39, 48, 57},
			     true,
			     true,
			     {56, 44, 50, 34},
			     100,
			     0,
			     {{FEATURE_SVNAPOT_64K, 70}, {FEATURE_SVPBMT, 20}}},
	[FORMAT_amdv1_mock] =
		{0, {56, 56, 48, 29}, false, false, {51, 50, 40, 47}, 60, 60, {{0, 0}}},
	[FORMAT_armv8_s1] = {0,
			     {48, 48, 39, 40, 32, 30},
			     false,
			     true,
			     {48, 44, 40, 36, 32},
			     75,
			     0,
			     {{FEATURE_INCOHERENT, 50}}},
	[FORMAT_armv8_s2] = {0,
			     {40, 48, 39, 44, 32, 30},
			     false,
			     true,
			     {48, 44, 40, 36, 32},
			     75,
			     0,
			     {{FEATURE_INCOHERENT, 50}}},
};

static enum format draw_format(struct rng *rng, u32 formats)
{
	u32 left = rng_below(rng, (u32)__builtin_popcount(formats));

	while (left--)
		formats &= formats - 1;
	return (enum format)__builtin_ctz(formats);
}

static u32 draw_features(struct rng *rng, const struct habit *habit, u32 allowed)
{
	const u32 both = FEATURE_FLUSH_RANGE | FEATURE_NO_GAPS;
	u32 flush = draw_percent(rng, habit->range_percent) ? FEATURE_FLUSH_RANGE : FEATURE_NO_GAPS;
	u32 features = habit->always;

	if (!draw_percent(rng, habit->neither_percent))
		features |= flush & allowed ? flush : both & allowed;
	for (u32 i = 0; i < ARRAY_NR(habit->some); i++) {
		if (draw_percent(rng, habit->some[i].percent))
			features |= habit->some[i].feature;
	}
	return features & allowed;
}

/* draw_width() - a width in bits: a usual one, or @exact being false, any from 13 up to @most */
static u8 draw_width(struct rng *rng, const u8 *usual, bool exact, u32 most)
{
	u32 nr = 1;

	while (nr < 6 && usual[nr])
		nr++;
	if (exact)
		return usual[rng_below(rng, nr)];
	if (draw_percent(rng, 50))
		return usual[0];
	if (draw_percent(rng, 40))
		return usual[rng_below(rng, nr)];
	return (u8)(13 + rng_below(rng, most - 12));
}

static u64 draw_tables_pa(struct rng *rng)
{
	u64 pages = rng_below(rng, 16);

	switch (rng_below(rng, 8)) {
	case 0:
		return (pages << 12) | 1; /* the bottom, address 0 included */
	case 1:
		return ~0ull; /* the top */
	case 2:
		return (1ull << 32) - (pages << 12);
	case 3:
		return (1ull << (32 + rng_below(rng, 20))) - (pages << 12);
	case 4:
		return rng_u64(rng);
	}
	return 0;
}

/* draw_top() - the lowest top, mostly, or a higher one; where a top grows any may be the start */
static u8 draw_top(struct rng *rng, const struct program_header *header)
{
	struct program plain;

	if (draw_percent(rng, 60))
		return 0;
	program_resolve(&plain, header);
	if (plain.config.features & FEATURE_GROWING_TOP)
		return (u8)(2 + rng_below(rng, 5));
	return (u8)(plain.config.top_level + 1 + rng_below(rng, 3));
}

/* draw_header() - choices that are mostly legal; @loose: any features of @allowed */
static void draw_header(struct rng *rng, struct program_header *header, u32 allowed, bool loose)
{
	const struct habit *habit = &habits[header->format];
	u32 features = draw_features(rng, habit, allowed & layout_features(header->format));

	if (loose)
		features = (u32)rng_u64(rng) & allowed;
	header->features = features ^ program_plain_features(header->format);
	header->vasz = draw_width(rng, habit->vasz, habit->vasz_exact,
				  header->format == FORMAT_amdv1 ? 64 : habit->vasz[1]);
	header->oasz = draw_width(rng, habit->oasz, false, habit->oasz[0]);
	header->top = 0;
	if (!habit->top_by_vasz)
		header->top = draw_top(rng, header);
	header->scatter = draw_percent(rng, 70) ? 0 : (u8)rng_below(rng, PROGRAM_SCATTER_MAX + 1);
	header->encrypt_bit = draw_percent(rng, 60)   ? 0
			      : draw_percent(rng, 75) ? 51
						      : (u8)(36 + rng_below(rng, 16));
	header->tables_pa = draw_tables_pa(rng);
}

/* draw_illegal() - a choice that probably must be refused */
static void draw_illegal(struct rng *rng, struct program_header *header)
{
	unsigned int level = 2 + rng_below(rng, 3);

	switch (rng_below(rng, 7)) {
	case 0:
		header->vasz = (u8)(40 + rng_below(rng, 25));
		break;
	case 1:
		header->top = (u8)(1 + rng_below(rng, 8));
		break;
	case 2:
		header->features ^= 1u << rng_below(rng, FEATURE_NR);
		break;
	case 3:
		header->features = (FEATURE_SIGN_EXTEND | FEATURE_GROWING_TOP) ^
				   program_plain_features(header->format);
		break;
	case 4:
		header->vasz = 64;
		header->features ^= FEATURE_SIGN_EXTEND;
		break;
	case 5: /* one bit more than the top reaches */
		header->top = (u8)(level + 1);
		header->vasz = (u8)(program_granule_lg2(header->format) + 9 * (level + 1) + 1);
		break;
	case 6: /* anything at all */
		header->vasz = (u8)(1 + rng_below(rng, 64));
		header->oasz = (u8)(1 + rng_below(rng, 64));
		header->top = (u8)(1 + rng_below(rng, 8));
		if (rng_one_in(rng, 2))
			header->features = (u32)rng_u64(rng) & (u32)bits_low(FEATURE_NR);
		break;
	}
}

/* draw_pgsizes() - what is left of @advertised; 0 = all */
static u64 draw_pgsizes(struct rng *rng, u64 advertised)
{
	u64 left;

	if (!draw_percent(rng, 20))
		return 0;
	left = advertised & rng_u64(rng);
	if (draw_percent(rng, 25))
		left = 0;
	if (!left || draw_percent(rng, 75))
		left |= advertised & -advertised;
	return left;
}

void draw_config(struct draw *draw, const struct generate_options *options)
{
	struct program *program = draw->program;
	struct program_header header = {0};
	struct rng *rng = &draw->rng;
	bool loose = rng_one_in(rng, 24);
	struct config config;
	u32 allowed;

	header.format = draw_format(rng, options->formats);
	allowed = options->features[header.format];
	for (u32 try = 0; try < CONFIG_TRIES; try++) {
		draw_header(rng, &header, allowed, loose);
		program_resolve(program, &header);
		if (!layout_legal(&program->config) && (loose || !layout_either(&program->config)))
			break;
		header = (struct program_header){.format = header.format};
		program_resolve(program, &header);
	}
	config = program->config;
	if (rng_one_in(rng, 50)) {
		draw_illegal(rng, &header);
		program_resolve(program, &header);
	}
	if (layout_legal(&program->config))
		layout_default(&config, header.format);
	else
		config = program->config;
	layout_init(&draw->layout, &config);
	program->config.pgsizes = draw_pgsizes(rng, draw->layout.pgsizes);
	draw->pgsizes = config_pgsizes(&program->config, draw->layout.pgsizes);
	if (!draw->pgsizes)
		draw->pgsizes = 1ull << draw->layout.granule_lg2;
	draw->page_lg2 = bits_lowest(draw->pgsizes);
	draw->oa_lg2 = layout_oa_lg2(&draw->layout);
}
