/* The ordered list of runs; see oracle/model.h. */
#include "oracle/model.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "core/base/check.h"

#define CHUNKS_FIRST 64

static bool model_grow(struct model *model, u32 max)
{
	void *order = realloc(model->order, max * sizeof(*model->order));
	void *key, *spare, *chunk;

	if (order)
		model->order = order;
	key = realloc(model->key, max * sizeof(*model->key));
	if (key)
		model->key = key;
	spare = realloc(model->spare, max * sizeof(*model->spare));
	if (spare)
		model->spare = spare;
	chunk = realloc(model->chunk, max * sizeof(*model->chunk));
	if (chunk)
		model->chunk = chunk;
	if (!order || !key || !spare || !chunk)
		return false;
	model->chunks_max = max;
	return true;
}

bool model_create(struct model *model)
{
	*model = (struct model){0};
	if (model_grow(model, CHUNKS_FIRST))
		return true;
	model_destroy(model);
	return false;
}

void model_destroy(struct model *model)
{
	free(model->order);
	free(model->key);
	free(model->spare);
	free(model->chunk);
	*model = (struct model){0};
}

void model_reset(struct model *model)
{
	model->bytes = 0;
	model->order_nr = model->chunks_nr = model->spare_nr = 0;
}

/* Position in the order of the last chunk that starts at or below @iova; 0 when all start above. */
static u32 order_find(const struct model *model, u64 iova)
{
	u32 low = 0, high = model->order_nr;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (model->key[middle] <= iova)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Position in @chunk of the first run that ends at or above @iova. */
static u32 chunk_find(const struct model_chunk *chunk, u64 iova)
{
	u32 low = 0, high = chunk->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (chunk->run[middle].range.last < iova)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct run *model_next(const struct model *model, u64 iova)
{
	const struct model_chunk *chunk;
	u32 at, in;

	if (!model->order_nr)
		return NULL;
	at = order_find(model, iova);
	chunk = &model->chunk[model->order[at]];
	in = chunk_find(chunk, iova);
	if (in < chunk->nr)
		return &chunk->run[in];
	if (at + 1 == model->order_nr)
		return NULL;
	return &model->chunk[model->order[at + 1]].run[0];
}

const struct run *model_find(const struct model *model, u64 iova)
{
	const struct run *run = model_next(model, iova);

	return run && run->range.first <= iova ? run : NULL;
}

/* A chunk that is in no order yet, put at position @at. */
static struct model_chunk *order_insert(struct model *model, u32 at)
{
	u32 moved = model->order_nr - at;
	u32 nr;

	if (!model->spare_nr && model->chunks_nr == model->chunks_max)
		CHECK(model_grow(model, 2 * model->chunks_max));
	nr = model->spare_nr ? model->spare[--model->spare_nr] : model->chunks_nr++;
	memmove(&model->order[at + 1], &model->order[at], moved * sizeof(*model->order));
	memmove(&model->key[at + 1], &model->key[at], moved * sizeof(*model->key));
	model->order[at] = nr;
	model->order_nr++;
	model->chunk[nr].nr = 0;
	return &model->chunk[nr];
}

static void order_remove(struct model *model, u32 at)
{
	u32 moved = model->order_nr - at - 1;

	model->spare[model->spare_nr++] = model->order[at];
	memmove(&model->order[at], &model->order[at + 1], moved * sizeof(*model->order));
	memmove(&model->key[at], &model->key[at + 1], moved * sizeof(*model->key));
	model->order_nr--;
}

/* Moves the upper half of the full chunk at @at into a new one behind it. */
static void chunk_split(struct model *model, u32 at)
{
	struct model_chunk *upper = order_insert(model, at + 1);
	struct model_chunk *lower = &model->chunk[model->order[at]];

	upper->nr = lower->nr / 2;
	lower->nr -= upper->nr;
	memcpy(upper->run, &lower->run[lower->nr], upper->nr * sizeof(upper->run[0]));
	model->key[at + 1] = upper->run[0].range.first;
}

void model_insert(struct model *model, const struct run *run)
{
	struct model_chunk *chunk;
	u32 at, in;

	if (!model->order_nr)
		order_insert(model, 0);
	at = order_find(model, run->range.first);
	chunk = &model->chunk[model->order[at]];
	if (chunk->nr == MODEL_CHUNK_RUNS) {
		chunk_split(model, at);
		at = order_find(model, run->range.first);
		chunk = &model->chunk[model->order[at]];
	}
	in = chunk_find(chunk, run->range.first);
	CHECK(in == chunk->nr || chunk->run[in].range.first > run->range.last);
	memmove(&chunk->run[in + 1], &chunk->run[in], (chunk->nr - in) * sizeof(chunk->run[0]));
	chunk->run[in] = *run;
	chunk->nr++;
	model->key[at] = chunk->run[0].range.first;
	model->bytes += run->range.last - run->range.first + 1;
}

/* Takes run @in out of the chunk at @at. Returns whether the chunk is gone with it. */
static void run_drop(struct model *model, u32 at, u32 in)
{
	struct model_chunk *chunk = &model->chunk[model->order[at]];

	chunk->nr--;
	memmove(&chunk->run[in], &chunk->run[in + 1], (chunk->nr - in) * sizeof(chunk->run[0]));
	if (!chunk->nr)
		order_remove(model, at);
	else
		model->key[at] = chunk->run[0].range.first;
}

/* Removes @range from the run at @at, @in, which overlaps it. */
static void run_cut(struct model *model, u32 at, u32 in, struct range range)
{
	struct run *run = &model->chunk[model->order[at]].run[in];
	struct run upper = *run;
	bool keeps_lower = run->range.first < range.first;
	bool keeps_upper = run->range.last > range.last;

	model->bytes -= run->range.last - run->range.first + 1;
	if (!keeps_lower && !keeps_upper) {
		run_drop(model, at, in);
		return;
	}
	if (keeps_lower) {
		run->range.last = range.first - 1;
	} else {
		run->range.first = range.last + 1;
		model->key[at] = model->chunk[model->order[at]].run[0].range.first;
	}
	model->bytes += run->range.last - run->range.first + 1;
	if (keeps_lower && keeps_upper) {
		upper.range.first = range.last + 1;
		model_insert(model, &upper);
	}
}

void model_remove(struct model *model, struct range range)
{
	while (model->order_nr) {
		u32 at = order_find(model, range.first);
		u32 in = chunk_find(&model->chunk[model->order[at]], range.first);

		if (in == model->chunk[model->order[at]].nr) {
			if (++at == model->order_nr)
				return;
			in = 0;
		}
		if (model->chunk[model->order[at]].run[in].range.first > range.last)
			return;
		run_cut(model, at, in, range);
	}
}

bool run_leaf(const struct run *run, u64 iova, u64 pgsizes, struct range *leaf)
{
	u64 bytes = run->whole.last - run->whole.first + 1;
	u64 sizes = pgsizes;

	if (run->delta)
		sizes &= bits_low(bits_lowest(run->delta) + 1);
	if (bytes)
		sizes &= bits_low(bits_highest(bytes) + 1);
	while (sizes) {
		unsigned int size_lg2 = bits_highest(sizes);

		leaf->first = bits_align_down(iova, size_lg2);
		leaf->last = leaf->first + bits_low(size_lg2);
		if (range_covers(run->whole, *leaf))
			return true;
		sizes &= ~(1ull << size_lg2);
	}
	return false;
}
