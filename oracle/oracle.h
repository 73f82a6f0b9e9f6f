/*
 * The oracle: what must be true after each operation of a page-table walker on a simulated machine.
 *
 * Life of a check: oracle_begin() before the operation, then the operation, then the function named
 * after it with what the walker answered. Each returns the violations of that operation. The oracle
 * watches the machine as its observer meanwhile, since some rules are about an order of events.
 */
#ifndef ORACLE_ORACLE_H
#define ORACLE_ORACLE_H

#include "core/base/config.h"
#include "core/base/range.h"
#include "core/host/host.h"
#include "oracle/format.h"
#include "oracle/model.h"
#include "oracle/verdict.h"

struct oracle;

/* Operations as the oracle knows them. Their words are the second part of a signature. */
enum oracle_op {
	ORACLE_OPEN,
	ORACLE_MAP,
	ORACLE_UNMAP,
	ORACLE_LOOKUP,
	ORACLE_SYNC,
	ORACLE_CLOSE,
	ORACLE_WRITE, /* by the device */
	ORACLE_DIRTY,
	ORACLE_OP_NR
};

/* What a table says of itself, as far as it is checked; the words of struct walker_info. */
struct oracle_info {
	u64 pgsizes;
	struct range aperture;
	u64 root_pa;
	u32 root_mode;
};

/* The gather after an operation: the fields of struct walker_gather. */
struct oracle_gather {
	bool empty;
	struct range range;
	bool queued;
	u8 leaf_levels;
	u8 table_levels;
};

/* The longest dirty query, and the longest write: a bitmap of so many pages. */
#define ORACLE_DIRTY_BITS 65536

/**
 * struct oracle_bitmap - what a dirty query left in its bitmap
 * @bytes: bit n % 8 of byte n / 8 stands for the @page_lg2-sized piece n of the query, from its first
 *	byte on; the bits of the last byte that are left over count as outside the query
 * @nr: pieces; 0 for a query of nothing
 * @outside: something beside the bitmap was written
 */
struct oracle_bitmap {
	const u8 *bytes;
	u64 nr;
	u8 page_lg2;
	bool outside;
};

/* oracle_create() - for machines of up to @pages_max table pages; NULL when memory is short */
struct oracle *oracle_create(u32 pages_max);
void oracle_destroy(struct oracle *oracle);

/*
 * oracle_start() - a new program on @host, which was just reset; becomes its observer
 * @config: any; legality is the oracle's business
 * @paranoid: after each operation walk the whole table and compare all of it with the model
 */
void oracle_start(struct oracle *oracle, struct host *host, const struct config *config,
		  bool paranoid);

/*
 * oracle_watch_iotlb() - after oracle_start(): whether this program's device has caches
 * @seed: a digest of the program; decides that, and what the device accesses
 * @always: it has
 */
void oracle_watch_iotlb(struct oracle *oracle, u64 seed, bool always);

/*
 * oracle_begin() - an operation starts; calls host_begin() and sets the step limit
 * @serial: its number, for the record; operands that it doesn't have are 0
 * Returns false when the contract doesn't say what this operation does; it must not be run then.
 */
bool oracle_begin(struct oracle *oracle, u32 serial, enum oracle_op op, u64 iova, u64 oa, u64 len,
		  u32 prot);

const struct verdicts *oracle_open(struct oracle *oracle, int got, const struct oracle_info *info);
const struct verdicts *oracle_map(struct oracle *oracle, int got, u64 mapped);
const struct verdicts *oracle_unmap(struct oracle *oracle, u64 got,
				    const struct oracle_gather *gather);
const struct verdicts *oracle_lookup(struct oracle *oracle, u64 got);
const struct verdicts *oracle_sync(struct oracle *oracle, const struct oracle_gather *gather);
const struct verdicts *oracle_dirty(struct oracle *oracle, int got, bool clear,
				    const struct oracle_bitmap *bitmap,
				    const struct oracle_gather *gather);
const struct verdicts *oracle_close(struct oracle *oracle);

/* oracle_queue() - gathers are queued from now on, or no longer; the gather was just synced */
void oracle_queue(struct oracle *oracle, bool queued);

/*
 * oracle_write() - the device writes the current operation's range, as far as it is translated and
 * writable: sets accessed and dirty bits of the items on its way. Returns the items made dirty.
 */
u64 oracle_write(struct oracle *oracle);

/*
 * oracle_root_changed() - whether the driver was told a new root in the current operation; then
 * oracle_root() must follow the operation's own check, with what the table now says of its root
 */
bool oracle_root_changed(const struct oracle *oracle);
const struct verdicts *oracle_root(struct oracle *oracle, const struct oracle_info *info);

/* oracle_finish() - before close: nothing changed behind the checks; compares all live pages */
const struct verdicts *oracle_finish(struct oracle *oracle);

/* oracle_escaped() - the operation was left; host->escape says why, @signal names a trap */
const struct verdicts *oracle_escaped(struct oracle *oracle, const char *signal);

/* What the oracle knows, for printing and benchmarks. */
const struct layout *oracle_layout(const struct oracle *oracle);
const struct model *oracle_model(const struct oracle *oracle);
u64 oracle_pgsizes(const struct oracle *oracle);

/*
 * oracle_op_legal() - whether the caller kept its own part of the contract in the last operation
 * oracle_legal() - and in all before it
 * oracle_op_word() - an operation's word; NULL beyond the last
 */
bool oracle_op_legal(const struct oracle *oracle);
bool oracle_legal(const struct oracle *oracle);
const char *oracle_op_word(unsigned int op);

/*
 * oracle_width() - iovas and lengths have @iova_lg2 bits, oas @oa_lg2, 0 or 64 for all; before a table is opened.
 * Operations that a caller can't put into so many bits are not judged: oracle_begin() returns false.
 */
void oracle_width(struct oracle *oracle, unsigned int iova_lg2, unsigned int oa_lg2);

/*
 * oracle_measure() - whether leaves are counted in every operation, not only where its work may be too much
 * oracle_leaves() - of the last operation: those mapped or removed, or looked at by a map that failed
 */
void oracle_measure(struct oracle *oracle, bool on);
u64 oracle_leaves(const struct oracle *oracle);

/*
 * oracle_walk() - the hardware walk of one address over the device view
 * @entry: out: the last entry read; ENTRY_EMPTY where the walk faults on nothing
 * @level: out: its level
 */
void oracle_walk(const struct oracle *oracle, u64 iova, struct entry *entry, unsigned int *level);

#endif
