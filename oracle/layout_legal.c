/*
 * Which configs must open, which must be refused, and which may do either. Source:
 * docs/contract.md, "Opening a table", and the SHAPE rows, which say what hardware can report and
 * drivers ask for. A feature that the format's row does not name must be refused: nobody can have
 * asked for it.
 */
#include <string.h>

#include "oracle/layout.h"

static unsigned int reach_lg2(const struct layout_rows *rows, unsigned int level)
{
	return rows->level[level].item_lg2 + rows->level[level].items_lg2;
}

void layout_effective(struct config *effective, const struct config *config)
{
	const struct layout_rows *rows = &layout_rows[config->format];
	const struct layout_shape *shape = rows->shape;
	unsigned int level;

	*effective = *config;
	if (shape->vasz_exact) {
		for (level = shape->top_first; level <= shape->top_last; level++)
			if (reach_lg2(rows, level) == config->vasz_lg2)
				effective->top_level = (u8)level;
	} else if (shape->top_clamps && !(config->features & FEATURE_GROWING_TOP) &&
		   config->vasz_lg2 > reach_lg2(rows, config->top_level)) {
		effective->vasz_lg2 = (u8)reach_lg2(rows, config->top_level);
	}
	if (effective->oasz_lg2 > shape->oasz_max_lg2)
		effective->oasz_lg2 = shape->oasz_max_lg2;
}

u64 layout_pgsizes(const struct config *effective)
{
	const struct layout_rows *rows = &layout_rows[effective->format];
	const struct layout_shape *shape = rows->shape;
	unsigned int last = effective->top_level;
	unsigned int span_lg2 = effective->vasz_lg2;
	unsigned int level;
	u64 sizes = 0;

	if (effective->features & FEATURE_GROWING_TOP)
		last = shape->levels_nr - 1;
	if (effective->features & FEATURE_SIGN_EXTEND)
		span_lg2--;
	for (level = 0; level <= last; level++) {
		sizes |= rows->level[level].sizes;
		if (!(shape->contiguous_feature & ~effective->features))
			sizes |= rows->level[level].contiguous_sizes;
	}
	return sizes & bits_low(span_lg2) & bits_low(effective->oasz_lg2 + 1);
}

static const char *top_illegal(const struct config *config)
{
	const struct layout_rows *rows = &layout_rows[config->format];
	const struct layout_shape *shape = rows->shape;
	unsigned int level;

	if (shape->vasz_exact) {
		for (level = shape->top_first; level <= shape->top_last; level++)
			if (reach_lg2(rows, level) == config->vasz_lg2)
				return NULL;
		return "vasz is not one of the format's modes";
	}
	if (config->top_level < shape->top_first || config->top_level > shape->top_last)
		return "the format has no such top level";
	if (!(config->features & FEATURE_GROWING_TOP) && !shape->top_clamps &&
	    config->vasz_lg2 > reach_lg2(rows, config->top_level))
		return "the top is too small for vasz";
	if (shape->top_by_vasz && config->top_level &&
	    config->vasz_lg2 <= reach_lg2(rows, config->top_level - 1u))
		return "the top is taller than vasz needs";
	return NULL;
}

const char *layout_legal(const struct config *config)
{
	const struct layout_shape *shape;

	if ((unsigned int)config->format >= FORMAT_NR)
		return "no such format";
	shape = layout_rows[config->format].shape;
	if (!config->vasz_lg2)
		return "vasz is 0";
	if (config->vasz_lg2 > shape->vasz_max_lg2)
		return "vasz is above the format's maximum";
	if (!config->oasz_lg2)
		return "oasz is 0";
	if (config->features & FEATURE_SIGN_EXTEND && config->features & FEATURE_GROWING_TOP)
		return "sign extension together with a growing top";
	if (config->features & FEATURE_SIGN_EXTEND && config->vasz_lg2 == 64)
		return "sign extension together with a full iova";
	if (config->features & ~(shape->features | shape->features_room))
		return "the format has no such feature";
	return top_illegal(config);
}

/* Features that no in-tree driver asks for in this way. */
static bool features_either(const struct layout_shape *shape, u32 features)
{
	const u32 both = FEATURE_FLUSH_RANGE | FEATURE_NO_GAPS;

	return (features & shape->features_room) || (shape->features_always & ~features) ||
	       (shape->features_one_of && !(features & shape->features_one_of)) ||
	       (features & both) == both;
}

/*
 * Where "an in-tree driver can ask for" or the list of refusals leaves room:
 * - features_either();
 * - an oasz beyond the format: refusing it and going on with the maximum are both sensible;
 * - a fixed amdv1 top below vasz: the table may be opened with the vasz that is left;
 * - a vasz below what all hardware has;
 * - a top level that no driver starts with;
 * - an encryption bit that no address has: nothing says who checks it;
 * - no page size left: vasz (with sign extension its half) or oasz not above one page.
 */
bool layout_either(const struct config *config)
{
	const struct layout_shape *shape = layout_rows[config->format].shape;
	struct config effective;

	if (layout_legal(config))
		return false;
	layout_effective(&effective, config);
	if (features_either(shape, config->features))
		return true;
	if (effective.oasz_lg2 != config->oasz_lg2 || effective.vasz_lg2 != config->vasz_lg2)
		return true;
	if (config->vasz_lg2 < shape->vasz_least_lg2)
		return true;
	if (shape->top_unasked >> effective.top_level & 1)
		return true;
	if (config->features & FEATURE_ENCRYPT_TABLES &&
	    (config->encrypt_bit <= shape->granule_lg2 ||
	     config->encrypt_bit >= shape->oasz_max_lg2))
		return true;
	return !layout_pgsizes(&effective);
}

u32 layout_features(enum format format)
{
	return layout_rows[format].shape->features;
}

void layout_default(struct config *config, enum format format)
{
	*config = layout_rows[format].shape->usual;
	config->format = format;
}
