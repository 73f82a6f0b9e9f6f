/*
 * From rows to masks: layout_init() and the questions that the masks answer directly (attributes,
 * root, iovas). Source: the rows; what each role must be is in oracle/layout.h.
 */
#include <string.h>

#include "core/base/check.h"
#include "oracle/layout.h"

/* The bits of an entry that hold these bits of an oa. */
static u64 entry_bits(const struct layout *layout, u64 oa)
{
	return (oa << layout->oa_right) >> layout->oa_left;
}

static void leaf_field(struct layout *layout, struct layout_level *at,
		       const struct layout_field *field, unsigned int role)
{
	const struct layout_shape *shape = layout_rows[layout->config.format].shape;
	u64 bits = layout_field_bits(field);

	switch ((enum layout_role)role) {
	case ROLE_PRESENT:
		at->present |= bits;
		break;
	case ROLE_READ:
		at->read |= bits;
		break;
	case ROLE_WRITE:
		at->write |= bits;
		break;
	case ROLE_READ_ONLY:
		at->read_only |= bits;
		break;
	case ROLE_EXEC:
		at->exec |= bits;
		break;
	case ROLE_NOEXEC:
		at->noexec |= bits;
		break;
	case ROLE_ACCESSED:
		at->leaf_accessed |= bits;
		at->leaf_ones |= shape->accessed_by_software ? bits : 0;
		break;
	case ROLE_USER:
	case ROLE_ON:
		at->leaf_ones |= bits;
		break;
	case ROLE_OA:
		at->leaf_oa |= bits;
		break;
	case ROLE_DIRTY:
		at->dirty |= bits;
		break;
	case ROLE_SNOOP:
		at->snoop |= bits;
		break;
	case ROLE_MEMORY_TYPE:
		at->memory_type |= bits;
		break;
	case ROLE_SHAREABLE:
		at->shareable |= bits;
		break;
	case ROLE_NOT_BLOCK:
		at->leaf |= bits;
		break;
	case ROLE_OFF:
		at->leaf_zeros |= bits;
		break;
	case ROLE_RESERVED:
		at->leaf_reserved |= bits;
		break;
	case ROLE_LEAF_MARK:
	case ROLE_NEXT_LEVEL:
	case ROLE_CONTIGUOUS:
	case ROLE_SOFTWARE:
	case ROLE_IGNORED:
	case ROLE_NR:
		break;
	}
	if (role == shape->contiguous_role && at->contiguous_sizes) {
		at->contiguous = bits;
		at->contiguous_want = bits_put(shape->contiguous_value, bits);
	}
}

static void table_field(struct layout *layout, struct layout_level *at,
			const struct layout_field *field, unsigned int role)
{
	u64 bits = layout_field_bits(field);

	switch ((enum layout_role)role) {
	case ROLE_READ:
		layout->table_read |= bits;
		layout->table_want |= bits;
		break;
	case ROLE_WRITE:
		layout->table_write |= bits;
		layout->table_want |= bits;
		break;
	case ROLE_PRESENT:
		at->present |= bits;
		layout->table_want |= bits;
		break;
	case ROLE_USER:
		layout->table_want |= bits;
		break;
	case ROLE_NOEXEC:
	case ROLE_OFF:
		layout->table_mask |= bits;
		break;
	case ROLE_LEAF_MARK:
	case ROLE_NEXT_LEVEL:
	case ROLE_NOT_BLOCK:
		at->leaf |= bits;
		break;
	case ROLE_OA:
		at->table_oa |= bits;
		break;
	case ROLE_RESERVED:
		at->table_reserved |= bits;
		break;
	case ROLE_ACCESSED:
		at->table_accessed |= bits;
		break;
	case ROLE_READ_ONLY:
	case ROLE_EXEC:
	case ROLE_CONTIGUOUS:
	case ROLE_DIRTY:
	case ROLE_SNOOP:
	case ROLE_MEMORY_TYPE:
	case ROLE_SHAREABLE:
	case ROLE_ON:
	case ROLE_SOFTWARE:
	case ROLE_IGNORED:
	case ROLE_NR:
		break;
	}
}

/* The rows of one level, and what they say together. */
static void level_init(struct layout *layout, unsigned int level)
{
	const struct layout_rows *rows = &layout_rows[layout->config.format];
	struct layout_level *at = &layout->level[level];
	const struct layout_geometry *geometry = &rows->level[level];
	u64 ignored[3] = {0};
	unsigned int i;

	at->item_lg2 = geometry->item_lg2;
	at->items_lg2 = geometry->items_lg2;
	if (!(rows->shape->contiguous_feature & ~layout->config.features))
		at->contiguous_sizes = geometry->contiguous_sizes;
	at->leaf_sizes = geometry->sizes | at->contiguous_sizes;
	for (i = 0; i < rows->fields_nr; i++) {
		const struct layout_field *field = &rows->field[i];
		unsigned int role = layout_field_role(field, layout->config.features);
		bool leaf = layout_field_in(field, level, KIND_LEAF);
		bool table = layout_field_in(field, level, KIND_TABLE);

		if (leaf)
			leaf_field(layout, at, field, role);
		if (table)
			table_field(layout, at, field, role);
		if (role == ROLE_IGNORED || role == ROLE_SOFTWARE) {
			ignored[KIND_LEAF] |= leaf ? layout_field_bits(field) : 0;
			ignored[KIND_TABLE] |= table ? layout_field_bits(field) : 0;
		}
	}
	if (at->leaf_sizes)
		layout->ignored &= ignored[KIND_LEAF];
	if (level)
		layout->ignored &= ignored[KIND_TABLE];
}

/* Bits whose meaning depends on others, and addresses that cannot be. */
static void level_finish(struct layout *layout, struct layout_level *at)
{
	u64 above = ~entry_bits(layout, bits_low(layout->config.oasz_lg2));

	at->leaf_oa &= ~layout->encrypt;
	at->table_oa &= ~layout->encrypt;
	at->leaf_reserved |= at->leaf_oa & above;
	at->leaf_reserved &= ~layout->encrypt;
	/* a table is at least 4 KiB and aligned to its size */
	at->table_reserved |= at->table_oa & entry_bits(layout, bits_low(12));
	if (!at->present)
		at->present = at->read | at->write | layout->table_read | layout->table_write;
	/* the lowest level, whose entries are all leaves; a permission must be there all the same */
	if (!at->leaf && layout->decode == DECODE_PERMISSIONS)
		at->leaf = at->read | at->write | at->exec;
	else if (!at->leaf)
		at->leaf = at->present;
}

void layout_init(struct layout *layout, const struct config *config)
{
	const struct layout_shape *shape = layout_rows[config->format].shape;
	unsigned int level;

	CHECK(!layout_legal(config));
	memset(layout, 0, sizeof(*layout));
	layout_effective(&layout->config, config);
	layout->levels_nr = shape->levels_nr;
	layout->granule_lg2 = shape->granule_lg2;
	layout->oa_left = shape->oa_left;
	layout->oa_right = shape->oa_right;
	layout->decode = shape->decode;
	layout->contiguous_flip = shape->contiguous_run ? ~0ull : 0;
	layout->pgsizes = layout_pgsizes(&layout->config);
	layout->ignored = ~0ull;
	if (config->features & FEATURE_ENCRYPT_TABLES && config->encrypt_bit < 64)
		layout->encrypt = 1ull << config->encrypt_bit;

	for (level = 0; level < layout->levels_nr; level++)
		level_init(layout, level);
	for (level = 0; level < layout->levels_nr; level++)
		level_finish(layout, &layout->level[level]);
	layout->table_want |= layout->encrypt;
	layout->table_mask |= layout->table_want;
}

unsigned int layout_oa_lg2(const struct layout *layout)
{
	unsigned int encrypt = layout->config.encrypt_bit;

	if (layout->encrypt && encrypt < layout->config.oasz_lg2)
		return encrypt;
	return layout->config.oasz_lg2;
}

static bool is_cached(u32 prot)
{
	return prot & MAP_PROT_CACHE && !(prot & MAP_PROT_MMIO);
}

static u64 memory_type(const struct layout_shape *shape, u32 prot)
{
	if (prot & MAP_PROT_MMIO)
		return shape->memory_types[2];
	return shape->memory_types[is_cached(prot) ? 0 : 1];
}

bool layout_attributes(const struct layout *layout, u32 prot, unsigned int size_lg2, u64 *mask,
		       u64 *want)
{
	const struct layout_shape *shape = layout_rows[layout->config.format].shape;
	u32 features = layout->config.features;
	bool write = prot & MAP_PROT_WRITE;
	bool read = (prot & MAP_PROT_READ) || (write && shape->write_needs_read);
	unsigned int level = layout->levels_nr - 1;
	const struct layout_level *at;

	if (!(prot & (MAP_PROT_READ | MAP_PROT_WRITE)))
		return false;
	if (features & FEATURE_FORCE_WRITEABLE && !write)
		return false;
	while (level && layout->level[level].item_lg2 > size_lg2)
		level--;
	at = &layout->level[level];

	*want = at->leaf_ones | bits_put(memory_type(shape, prot), at->memory_type);
	*want |= read ? at->read : 0;
	*want |= write ? at->write : at->read_only;
	*want |= is_cached(prot) ? at->shareable : 0;
	*want |= write && shape->accessed_by_software ? at->dirty : 0;
	*want |= prot & MAP_PROT_NOEXEC ? 0 : at->exec;
	*want |= features & FEATURE_FORCE_COHERENCE ? at->snoop : 0;
	*want |= prot & MAP_PROT_MMIO ? 0 : layout->encrypt;

	*mask = *want | at->leaf_zeros | at->memory_type | at->read | at->write | at->read_only |
		at->exec | at->snoop | layout->encrypt;
	*mask |= prot & MAP_PROT_NOEXEC ? 0 : at->noexec;
	return true;
}

bool layout_tracks_dirty(const struct layout *layout)
{
	return layout_rows[layout->config.format].shape->tracks_dirty;
}

int layout_root_level(const struct layout *layout, u32 mode)
{
	const struct layout_shape *shape = layout_rows[layout->config.format].shape;

	if (mode < shape->root_mode || mode - shape->root_mode >= shape->root_nr)
		return -1;
	return (int)(mode - shape->root_mode + shape->root_level);
}

u64 layout_root_bits(const struct layout *layout)
{
	return layout_rows[layout->config.format].shape->root;
}

/*
 * Its oa is the highest that is aligned to the largest leaf of one item, so that it is valid as far
 * up as can be; where no such oa exists it is 0.
 */
u64 layout_trap(const struct layout *layout)
{
	const struct layout_rows *rows = &layout_rows[layout->config.format];
	u64 oa = bits_low(layout_oa_lg2(layout));
	u64 word = 0;
	unsigned int i;

	for (i = 0; i < rows->fields_nr; i++) {
		const struct layout_field *field = &rows->field[i];

		if (!(field->kinds & KIND_LEAF))
			continue;
		if (field->role == ROLE_PRESENT || field->role == ROLE_READ ||
		    field->role == ROLE_WRITE || field->role == ROLE_USER ||
		    field->role == ROLE_ACCESSED || field->role == ROLE_DIRTY ||
		    field->role == ROLE_LEAF_MARK || field->role == ROLE_ON)
			word |= layout_field_bits(field);
	}
	for (i = layout->levels_nr; i-- > 0;)
		if (rows->level[i].sizes)
			break;
	oa = bits_align_down(oa, layout->level[i].item_lg2);
	return word | entry_bits(layout, oa);
}

bool layout_iova_legal(const struct layout *layout, struct range range)
{
	unsigned int vasz_lg2 = layout->config.vasz_lg2;

	if (layout->iova_lg2 && range.last > bits_low(layout->iova_lg2))
		return false;
	if (!(layout->config.features & FEATURE_SIGN_EXTEND))
		return range.last <= bits_low(vasz_lg2);
	return range.last <= bits_low(vasz_lg2 - 1) || range.first >= ~bits_low(vasz_lg2 - 1);
}

u64 layout_iova_full(const struct layout *layout, u64 bits)
{
	unsigned int vasz_lg2 = layout->config.vasz_lg2;

	if (layout->config.features & FEATURE_SIGN_EXTEND && bits >> (vasz_lg2 - 1) & 1)
		return bits | ~bits_low(vasz_lg2 - 1);
	return bits;
}
