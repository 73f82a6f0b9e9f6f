/*
 * What hardware makes of an entry, for every format, from the rows in oracle/format/NAME.def.
 *
 * A format is described once: one row a bit field, with the section of its manual; one row a level,
 * with its geometry and leaf sizes. layout_init() turns the rows and a config into masks, so that
 * decoding an entry costs a few instructions; everything else (reserved bits, attributes, printing)
 * comes from the same rows.
 */
#ifndef ORACLE_FORMAT_H
#define ORACLE_FORMAT_H

#include "core/base/config.h"
#include "core/base/range.h"

#define LAYOUT_LEVELS 6

enum entry_kind {
	ENTRY_EMPTY, /* not present: hardware stops here and faults */
	ENTRY_LEAF,
	ENTRY_TABLE,
	ENTRY_BAD, /* present, but hardware faults on it or the manual leaves it undefined */
};

/**
 * struct entry - one item as hardware reads it
 * @kind: what it is
 * @size_lg2: leaf: bytes of the whole entry, contiguous items together
 * @oa_lg2: leaf: bytes that @oa is for: those of the whole entry, or of the one item where each of
 *	them has an oa of its own (Arm)
 * @read, @write: what the entry lets the device do
 * @oa: leaf: oa of the first of these bytes; table: pa of the lower table
 * @reserved: bits set that the manual reserves here, under this config
 * @why: ENTRY_BAD: static text
 */
struct entry {
	u8 kind;
	u8 size_lg2;
	u8 oa_lg2;
	bool read;
	bool write;
	u64 oa;
	u64 reserved;
	const char *why;
};

/* entry_oa() - where the leaf @entry, found in the item for @iova, takes that byte */
static inline u64 entry_oa(const struct entry *entry, u64 iova)
{
	return entry->oa + (iova & ((1ull << entry->oa_lg2) - 1));
}

/*
 * entry_cached_oa() - where it takes a byte anywhere in the leaf, for a device that keeps all of a
 * leaf of several items from one of them
 */
static inline u64 entry_cached_oa(const struct entry *entry, u64 iova)
{
	u64 below = (1ull << entry->size_lg2) - 1;

	return (entry->oa & ~below) + (iova & below);
}

/* Masks of one level, made from the rows. */
struct layout_level {
	u8 item_lg2;	/* bytes of iova that one item translates */
	u8 items_lg2;	/* items in a table of this level */
	u64 leaf_sizes; /* page sizes that hardware knows here, one bit for each size in bytes */
	u64 present;	/* an entry with none of these bits is empty */
	u64 leaf;	/* format dependent: bits that tell a leaf from a table */
	u64 leaf_reserved;
	u64 table_reserved;
	u64 leaf_oa;
	u64 table_oa;
	u64 contiguous_sizes; /* the part of leaf_sizes that takes several items */
	u64 contiguous;	      /* field that marks a leaf of several items, and its value then */
	u64 contiguous_want;
	u64 read; /* permissions in leaves; a format without such a bit always allows */
	u64 write;
	u64 read_only; /* takes writes away */
	u64 exec;
	u64 noexec;
	u64 dirty;	   /* dirty bit of a leaf */
	u64 leaf_accessed; /* accessed bit, which hardware sets */
	u64 table_accessed;
	u64 snoop;
	u64 memory_type;
	u64 shareable;
	u64 leaf_ones; /* bits that every leaf must have set or clear, whatever the prot */
	u64 leaf_zeros;
};

/**
 * struct layout - a format under one config
 * @levels_nr: levels that this format can have, whatever the config's top level
 * @granule_lg2: bytes of the smallest page
 * @pgsizes: every page size a table of this config can store and should advertise (contract:
 *	"Opening a table"): sizes of its levels, smaller than the span of the (half) table, not above
 *	2^oasz
 * @ignored: bits that hardware ignores in every kind of entry on every level
 * @oa_left, @oa_right: an oa is the bits of the oa field, shifted left (riscv_64, whose PPN stands
 *	at bit 10) or right (amdv1_mock, whose granule is 2 KiB)
 * @decode: enum layout_decode of oracle/layout.h: what tells a leaf from a table
 * @contiguous_flip: all ones when the size of a leaf of several items is a run of ones in its oa
 *	field, 0 when it is a run of zeros
 * @table_read, @table_write: permissions in table entries
 * @encrypt: the memory-encryption bit, or 0
 * @table_mask, @table_want: bits that a table entry must have, in (mask, value) form
 */
struct layout {
	unsigned int iova_lg2; /* bits of an iova that callers can name; 0 means 64 */
	struct config config;
	unsigned int levels_nr;
	unsigned int granule_lg2;
	u64 pgsizes;
	u64 ignored;
	u8 oa_left;
	u8 oa_right;
	u8 decode;
	u64 contiguous_flip;
	u64 table_read;
	u64 table_write;
	u64 encrypt;
	u64 table_mask;
	u64 table_want;
	struct layout_level level[LAYOUT_LEVELS];
};

/*
 * layout_legal() - whether hardware and an in-tree driver can have this config
 * Returns NULL when it must open, else a static text that says why it must be refused.
 */
const char *layout_legal(const struct config *config);

/*
 * layout_either() - whether the contract leaves room, so that opening and refusing are both right
 *
 * False when layout_legal() gives a reason. layout_init() takes such a config; where vasz is beyond
 * the reach of the top, the layout has the vasz that is left.
 */
bool layout_either(const struct config *config);

/*
 * layout_init() - @config must be legal
 *
 * layout->config is the effective config: riscv_64's top follows from vasz, a vasz beyond the reach of
 * a top that cannot grow is reduced to it, an oasz beyond the format's maximum to that.
 */
void layout_init(struct layout *layout, const struct config *config);

/* layout_default() - the plainest legal config of @format: what a driver on common hardware asks */
void layout_default(struct config *config, enum format format);

/* layout_tracks_dirty() - whether hardware sets dirty bits that a walker reports and clears */
bool layout_tracks_dirty(const struct layout *layout);

/* layout_features() - every feature that the format documents */
u32 layout_features(enum format format);

/* layout_decode() - what hardware reads in @word, found in a table of @level */
void layout_decode(const struct layout *layout, unsigned int level, u64 word, struct entry *entry);

/*
 * layout_attributes() - what a leaf of @size_lg2 mapped with @prot must carry besides its oa
 * @mask: out: the bits that matter
 * @want: out: their values
 * Returns false when the config forbids this prot, so that the map must be refused.
 */
bool layout_attributes(const struct layout *layout, u32 prot, unsigned int size_lg2, u64 *mask,
		       u64 *want);

/* layout_root_level() - level that hardware walks from when @mode is programmed, or -1 */
int layout_root_level(const struct layout *layout, u32 mode);

/* layout_root_bits() - address bits that hardware has room for in the root pointer */
u64 layout_root_bits(const struct layout *layout);

/* layout_trap() - an entry that is a readable, writable leaf on as many levels as possible */
u64 layout_trap(const struct layout *layout);

/*
 * layout_oa_lg2() - width of the oas that programs may use: oasz, but below the encryption bit and
 * inside the format's oa field. The bound that a walker must refuse at stays 2^oasz.
 */
unsigned int layout_oa_lg2(const struct layout *layout);

/*
 * layout_print() - the fields of @word in words, as "R W PS oa=0x200000"
 * Writes at most @bytes bytes with the final zero and returns @text.
 */
char *layout_print(const struct layout *layout, unsigned int level, u64 word, char *text,
		   size_t bytes);

/* layout_bit_name() - the manual's name and section of the lowest set bit of @bits, static text */
const char *layout_bit_name(const struct layout *layout, unsigned int level, bool leaf, u64 bits);

/*
 * Iovas. layout_iova_legal(): every byte of the range may be used by callers (inside 2^vasz, or
 * canonical in one half). layout_iova_bits(): the bits that index the table. layout_iova_full():
 * the legal iova whose index bits are @bits.
 */
bool layout_iova_legal(const struct layout *layout, struct range range);
u64 layout_iova_full(const struct layout *layout, u64 bits);

static inline u64 layout_iova_bits(const struct layout *layout, u64 iova)
{
	return layout->config.vasz_lg2 >= 64 ? iova
					     : iova & ((1ull << layout->config.vasz_lg2) - 1);
}

static inline unsigned int layout_index(const struct layout *layout, unsigned int level, u64 iova)
{
	const struct layout_level *at = &layout->level[level];

	return (unsigned int)(layout_iova_bits(layout, iova) >> at->item_lg2) &
	       ((1u << at->items_lg2) - 1);
}

#endif
