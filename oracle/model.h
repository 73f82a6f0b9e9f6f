/*
 * The model: what is mapped, as an ordered list of runs. One map makes one run; unmapping cuts it. A
 * run remembers the whole range that its map asked for, since that range decides where the leaves of
 * the map begin and end, whatever part of it is still there.
 *
 * It is kept as sorted chunks of runs under a sorted index, on purpose nothing like a page table: a
 * lookup is two binary searches, and neighbouring operations hit the same chunk.
 */
#ifndef ORACLE_MODEL_H
#define ORACLE_MODEL_H

#include "core/base/range.h"

/**
 * struct run - part of what one map mapped, translated by adding @delta
 * @range: iovas that are still mapped
 * @whole: iovas that the map asked for
 * @delta: oa - iova, modulo 2^64
 * @prot: as given to the map
 */
struct run {
	struct range range;
	struct range whole;
	u64 delta;
	u32 prot;
};

#define MODEL_CHUNK_RUNS 32

struct model_chunk {
	u32 nr;
	struct run run[MODEL_CHUNK_RUNS];
};

/**
 * struct model - the runs, by rising iova
 * @bytes: sum of all runs' lengths, modulo 2^64
 * @chunk, @chunks_nr, @chunks_max: storage; grows by doubling and is kept across resets
 * @order: chunks by rising iova, @key: the first iova of each
 * @spare, @spare_nr: chunks that are not in @order
 */
struct model {
	u64 bytes;
	u32 order_nr;
	u32 chunks_nr;
	u32 chunks_max;
	u32 spare_nr;
	u32 *order;
	u64 *key;
	u32 *spare;
	struct model_chunk *chunk;
};

/* model_create() - true, or false when memory is short. model_destroy() frees the storage. */
bool model_create(struct model *model);
void model_destroy(struct model *model);

/* model_reset() - nothing is mapped */
void model_reset(struct model *model);

/* model_find() - the run that holds @iova, or NULL. Valid until the model changes. */
const struct run *model_find(const struct model *model, u64 iova);

/* model_next() - the run that holds @iova, else the first one above, else NULL */
const struct run *model_next(const struct model *model, u64 iova);

/* model_insert() - adds a run; nothing in its range may be mapped */
void model_insert(struct model *model, const struct run *run);

/* model_remove() - nothing in @range is mapped any more; runs are cut at its ends */
void model_remove(struct model *model, struct range range);

/*
 * run_leaf() - the leaf of @run that holds @iova, under the greedy rule
 * @iova: inside run->whole
 * @pgsizes: allowed page sizes
 * Leaves are aligned blocks, so of two that hold the same byte one holds the other; a walk from the
 * start of the range that always takes the largest that fits therefore ends up with, for each byte,
 * the largest aligned block around it that lies inside the range and is aligned in oa as in iova.
 * Returns false when no allowed size fits (the range isn't made of whole pages).
 */
bool run_leaf(const struct run *run, u64 iova, u64 pgsizes, struct range *leaf);

#endif
