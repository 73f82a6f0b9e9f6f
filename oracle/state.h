/*
 * The oracle's own state, shared by the files of this folder and by nobody else.
 *
 * What each file does with it: oracle.c is the entry functions; expect.c says what an operation must
 * answer; tables.c follows which pages are tables, and at each store whether one is published or cut;
 * entries.c compares entries with the model; lines.c is about cache lines; gather.c about IOTLB ranges,
 * levels.c about the levels told with them, iotlb.c about what a device still caches; dirty.c plays the
 * device that writes, query.c judges what is said of that; walk.c walks as hardware does; work.c counts
 * what an operation may cost, limits.c where it is left; say.c collects violations.
 */
#ifndef ORACLE_STATE_H
#define ORACLE_STATE_H

#include "core/base/bits.h"
#include "core/base/check.h"
#include "oracle/iotlb.h"
#include "oracle/oracle.h"

#define WANTS_MAX 64
#define SYNCS_MAX 64

enum table_state {
	TABLE_NONE,   /* not yet reachable, or free */
	TABLE_LINKED, /* reachable from the root */
	TABLE_CUT,    /* was reachable, waits to be freed */
};

/**
 * struct table - what the oracle knows of one table page
 * @base: index bits (see layout_iova_bits()) of the first iova that it translates
 * @span_lg2: iova bytes that it translates
 * @parent, @parent_item: the entry that leads here; @parent is -1 for the root
 * @seen_lines: lines of its seen image that may hold something
 * @leaf_bytes: iova bytes of the leaves in its seen image
 * @synced: TABLE_CUT: a sync has covered it since
 */
struct table {
	u64 base;
	u64 seen_lines;
	u64 leaf_bytes;
	s32 parent;
	u16 parent_item;
	u8 level;
	u8 span_lg2;
	u8 state;
	bool synced;
	bool held_leaves; /* TABLE_CUT: its seen image held some, still to be checked */
	u32 cut_at;	  /* TABLE_CUT: position in oracle->cut */
};

/* A set of disjoint ranges, by rising address. */
struct ranges {
	u32 nr;
	bool lossy; /* it was full once: some gaps are covered as well */
	struct range range[WANTS_MAX];
};

/**
 * struct levels - levels of one operation, as masks; see levels.c
 * @leaf: of tables that lost a leaf
 * @table: of tables that lost an entry which led to a table
 * @told_leaf, @told_table: in its syncs
 */
struct levels {
	u8 leaf;
	u8 table;
	u8 told_leaf;
	u8 told_table;
};

/* The operation that is being checked. */
struct current {
	u32 serial;
	enum oracle_op op;
	u64 iova;
	u64 oa;
	u64 len;
	u32 prot;
	bool legal;
	bool refused; /* the contract refuses it: nothing may change */
	bool failed;  /* it returned an error */
	struct range range;
	u32 pages_before; /* live pages */
};

/*
 * struct work - what an operation had to do, in the terms in which work.c gives its budgets; counted
 * only as far as the quick look of work_is_small() does not settle it
 * @items: items of the leaves that were written or removed
 * @leaves: these
 * @tables: tables on the way to these, the root included, each once
 * @visits: pairs of a table and a leaf size of which it holds some
 * @segments: stretches of leaves of one size
 * @under: tables below a leaf that could not be written
 * @cut: tables cut off, those below included
 * @mapped: bytes that a map says it mapped
 */
struct work {
	u64 items;
	u64 leaves;
	u64 tables;
	u64 visits;
	u64 segments;
	u64 under;
	u64 cut;
	u64 mapped;
	u64 written;
};

/* Disjoint ranges by rising address, any number; storage is kept across programs. */
struct dirty_set {
	struct range *range;
	u32 nr;
	u32 max;
};

struct oracle {
	struct host *host;
	struct config config;
	struct layout layout;
	bool paranoid;
	unsigned int iova_lg2; /* see oracle_width() */
	unsigned int oa_lg2;
	bool measure; /* see oracle_measure() */
	bool open;
	bool legal; /* the caller has kept its own part of the contract in every operation so far */
	u64 pgsizes; /* allowed page sizes */
	struct model model;
	struct table *table; /* by page */
	u64 *seen;	     /* by page: the device view as it was last compared */
	s32 root;
	u8 root_level;
	bool root_changed; /* in this operation */
	u64 leaf_bytes;	   /* of all linked tables */
	u32 *linked;	   /* pages that became reachable in this operation */
	u32 linked_nr;
	u32 *cut; /* pages in state TABLE_CUT */
	u32 cut_nr;
	struct ranges wants;   /* what a sync has yet to cover */
	struct ranges excused; /* gathered too much and said so: what follows from it is not news */
	struct range synced[SYNCS_MAX]; /* syncs of this operation */
	u64 synced_at[SYNCS_MAX];	/* their places in the host's record of events */
	u32 synced_nr;
	bool synced_all;
	struct levels levels;	     /* of this operation */
	bool gather_odd;	     /* the gather holds a range that ends before it starts */
	struct oracle_gather gather; /* as it was after the last operation */
	const struct run *run;	     /* cache of entries.c; valid while the model doesn't change */
	bool removes;		     /* this operation unmapped @removed */
	struct range removed;
	u32 attr_prot; /* cache of layout_attributes() */
	u32 attr_size;
	u64 attr_mask;
	u64 attr_want;
	bool attr_valid;
	struct iotlb iotlb;
	struct work work;	/* what this operation had to do */
	struct dirty_set dirty; /* iovas of the entries that the device has written through */
	u8 *dirty_want;		/* room for the bitmap of a query */
	struct current current;
	struct verdicts verdicts;
};

/* say.c */

/*
 * say() - records a violation unless the operation already has one of this rule and reason
 * @reason: cut at 47 characters; the rest is what the walker did
 * Returns the record for say_want(), or NULL.
 */
struct verdict *say(struct oracle *oracle, enum rule rule, const char *reason, const char *got, ...)
	__attribute__((format(printf, 4, 5)));

/* say_want() - what would have been right; @verdict may be NULL */
void say_want(struct verdict *verdict, const char *want, ...) __attribute__((format(printf, 2, 3)));
const char *say_errno(int error);

/* expect.c */
const char *expect_refusal(const struct oracle *oracle, const struct current *op);
u64 expect_unmap(const struct oracle *oracle, u64 iova, u64 last);
bool expect_is_boundary(const struct oracle *oracle, const struct run *run, u64 prefix);
u64 expect_table_need(const struct oracle *oracle, struct range range);
void expect_open(struct oracle *oracle, int got, const struct oracle_info *info);
void expect_map(struct oracle *oracle, int got, u64 mapped);
void expect_unmapped(struct oracle *oracle, u64 got);

/* tables.c */
void tables_reset(struct oracle *oracle);
void tables_on_store(void *arg, u32 page, u32 item, u64 old, u64 new);
void tables_on_event(void *arg, const struct host_event *event);
void tables_root(struct oracle *oracle, u64 pa, unsigned int level);
struct range tables_span(const struct oracle *oracle, const struct table *table);

/* entries.c */
void entries_check(struct oracle *oracle);
void entries_check_all(struct oracle *oracle);

/* lines.c */
void lines_check(struct oracle *oracle);
bool lines_complete(const struct oracle *oracle, u32 page, u64 lines, u32 *item);

/* gather.c */
void gather_want(struct oracle *oracle, struct range range);
void gather_check(struct oracle *oracle, const struct oracle_gather *gather);
void gather_synced(struct oracle *oracle, struct range range);

/* iotlb.c; all but oracle_watch_iotlb() only where oracle->iotlb.active */
void iotlb_begin(struct oracle *oracle);
void iotlb_on_store(struct oracle *oracle, u32 page, u32 item);
void iotlb_on_event(struct oracle *oracle, const struct host_event *event);
void iotlb_check(struct oracle *oracle);

/* levels.c */
void levels_reset(struct levels *levels);
void levels_synced(struct oracle *oracle, u32 told);
void levels_check(struct oracle *oracle, const struct oracle_gather *gather);

/* walk.c */
void walk_paranoid(struct oracle *oracle);
void walk_unreported(struct oracle *oracle);
void entries_locate(struct oracle *oracle);

/* limits.c */
u64 limits_steps(const struct oracle *oracle, const struct current *op);
u64 limits_allocs(const struct oracle *oracle, const struct current *op);

/* work.c */
void work_begin(struct oracle *oracle);
void work_removes(struct oracle *oracle, struct range range);
void work_queries(struct oracle *oracle, bool clear);
void work_check(struct oracle *oracle);
bool work_is_small(const struct oracle *oracle);
/* dirty.c */
void dirty_drop(struct dirty_set *set, struct range range);
const struct range *dirty_next(const struct dirty_set *set, u64 iova);
bool dirty_locate(const struct oracle *oracle, u64 iova, u32 *page, u32 *item, struct entry *entry);

/* query.c */
void query_check(struct oracle *oracle, int got, bool clear, const struct oracle_bitmap *bitmap);
bool query_is_aligned(const struct oracle *oracle, const struct current *op);
const char *query_refusal(const struct oracle *oracle, const struct current *op);

/* life.c */
void life_check(struct oracle *oracle);
void life_faults(struct oracle *oracle);

#endif
