/*
 * The rows of oracle/format/NAME.def as C tables: what a field, a level and a format's shape say.
 * Private to the files that make masks and words of them; everybody else includes oracle/format.h.
 */
#ifndef ORACLE_LAYOUT_H
#define ORACLE_LAYOUT_H

#include "core/base/bits.h"
#include "oracle/format.h"

/* What a field is for. The comment says what a leaf and a table must have there. */
enum layout_role {
	ROLE_PRESENT,	/* table: set */
	ROLE_READ,	/* leaf: as asked; table: set, so that it takes nothing from its leaves */
	ROLE_WRITE,	/* likewise */
	ROLE_READ_ONLY, /* leaf: set unless writes are asked */
	ROLE_EXEC,	/* leaf: set unless noexec is asked */
	ROLE_NOEXEC,	/* leaf: clear unless noexec is asked, then free; table: clear */
	ROLE_USER,	/* leaf, table: set, since requests have user privilege */
	ROLE_LEAF_MARK, /* tells a leaf from a table */
	ROLE_NOT_BLOCK, /* set in tables and in leaves of the lowest level, clear in other leaves */
	ROLE_NEXT_LEVEL,  /* leaf, table: 0, the level of the lower table, or several items */
	ROLE_CONTIGUOUS,  /* leaf of several items */
	ROLE_OA,	  /* leaf: output address; table: address of the lower table */
	ROLE_ACCESSED,	  /* free, but set where hardware faults instead of setting it */
	ROLE_DIRTY,	  /* likewise, in writable leaves */
	ROLE_SNOOP,	  /* leaf: set with force-coherence */
	ROLE_MEMORY_TYPE, /* leaf: by prot */
	ROLE_SHAREABLE,	  /* leaf: all ones for cached memory, else free */
	ROLE_ON,	  /* leaf: a function of the hardware that every map needs: set */
	ROLE_OFF,	  /* a function of the hardware that no map asks for: clear */
	ROLE_SOFTWARE,	  /* free: left to software */
	ROLE_IGNORED,	  /* free: not looked at */
	ROLE_RESERVED,	  /* clear */
	ROLE_NR,
};

enum layout_kind {
	KIND_LEAF = 1,
	KIND_TABLE = 2,
	KIND_BOTH = KIND_LEAF | KIND_TABLE,
};

/* What tells a leaf from a table. */
enum layout_decode {
	DECODE_LEAF_MARK,   /* a bit; the lowest level has leaves only */
	DECODE_NEXT_LEVEL,  /* a field with the level that follows */
	DECODE_PERMISSIONS, /* a table has no permission bit */
	DECODE_NOT_BLOCK,   /* a bit that large leaves lack; each item of a leaf has its own oa */
};

/**
 * struct layout_field - a FIELD row
 * @feature: without this FEATURE_* the field is reserved; 0 = always there
 * @low, @high: bits, both included
 * @kinds, @levels: entries that have the field, as masks
 * @name: as in the manual
 * @label: name and section
 */
struct layout_field {
	u32 feature;
	u8 low;
	u8 high;
	u8 kinds;
	u8 levels;
	u8 role;
	const char *name;
	const char *label;
};

/**
 * struct layout_geometry - a LEVEL row
 * @item_lg2, @items_lg2: bytes of iova that an item translates; items in a table
 * @sizes: sizes of a leaf that is one item
 * @contiguous_sizes: sizes of a leaf that takes several items
 */
struct layout_geometry {
	u8 item_lg2;
	u8 items_lg2;
	u64 sizes;
	u64 contiguous_sizes;
};

/**
 * struct layout_shape - the SHAPE row
 * @granule_lg2: bytes of the smallest page; the oa field counts in these
 * @top_first, @top_last: levels that a table may have for its top
 * @vasz_exact: vasz is the reach of the top, which follows from it
 * @top_clamps: a vasz beyond the reach of a fixed top may be reduced to it instead of being refused
 * @top_by_vasz: the top is the lowest level that reaches vasz, and must be asked for
 * @vasz_least_lg2: hardware need not have a narrower vasz, or 0
 * @top_unasked: mask of top levels that hardware has but that no driver starts with
 * @oa_left, @oa_right: as in struct layout
 * @root: address bits of the root pointer
 * @root_mode, @root_level, @root_nr: modes @root_mode.. are tops from @root_level on
 * @decode: enum layout_decode
 * @contiguous_role, @contiguous_value: a field with this value marks a leaf of several items
 * @contiguous_run: its size is 2^(granule_lg2 + 1 + length of the run of these bits at the low end
 *	of the oa field); without meaning for DECODE_NOT_BLOCK, where each level has one such size
 * @contiguous_feature: it needs this FEATURE_*, or 0
 * @accessed_by_software: hardware may fault on a clear accessed or dirty bit
 * @tracks_dirty: drivers ask which pages a device has written (VT-d 3.7.2, SSADS; AMD IOMMU 2.2.3,
 *	host dirty support); in the other formats leaves are dirty from the start, or software's
 * @write_needs_read: writable leaves must be readable
 * @memory_types: values of the memory type field: cached memory, memory that is not cached, devices
 * @features: FEATURE_* that the format documents
 * @features_room: FEATURE_* under which the contract leaves room between opening and refusing
 * @features_always: FEATURE_* that every in-tree driver asks for; without one there is room
 * @features_one_of: likewise for "one of them"
 * @usual: layout_default()
 */
struct layout_shape {
	u8 levels_nr;
	u8 granule_lg2;
	u8 vasz_max_lg2;
	u8 oasz_max_lg2;
	u8 top_first;
	u8 top_last;
	bool vasz_exact;
	bool top_clamps;
	bool top_by_vasz;
	u8 vasz_least_lg2;
	u8 top_unasked;
	u8 oa_left;
	u8 oa_right;
	u64 root;
	u8 root_mode;
	u8 root_level;
	u8 root_nr;
	u8 decode;
	u8 contiguous_role;
	u8 contiguous_value;
	u8 contiguous_run;
	u32 contiguous_feature;
	bool accessed_by_software;
	bool tracks_dirty;
	bool write_needs_read;
	u8 memory_types[3];
	u32 features;
	u32 features_room;
	u32 features_always;
	u32 features_one_of;
	struct config usual;
};

struct layout_rows {
	const struct layout_shape *shape;
	const struct layout_geometry *level;
	const struct layout_field *field;
	unsigned int fields_nr;
};

extern const struct layout_rows layout_rows[FORMAT_NR];

/* layout_field_bits() - the bits of a field */
static inline u64 layout_field_bits(const struct layout_field *field)
{
	return bits_field(field->low, field->high);
}

/* layout_field_role() - the field's role when a table has @features */
static inline unsigned int layout_field_role(const struct layout_field *field, u32 features)
{
	return (field->feature & ~features) ? ROLE_RESERVED : field->role;
}

/* layout_field_in() - whether an entry of @kind at @level has the field */
static inline bool layout_field_in(const struct layout_field *field, unsigned int level,
				   unsigned int kind)
{
	return (field->kinds & kind) && (field->levels >> level & 1);
}

/* layout_effective() - a legal @config with top, vasz and oasz made to fit, see layout_init() */
void layout_effective(struct config *effective, const struct config *config);

/* layout_pgsizes() - what a table of this effective config should advertise, see struct layout */
u64 layout_pgsizes(const struct config *effective);

#endif
