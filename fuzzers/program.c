/*
 * Programs as bytes: what fuzzing engines mutate. Decoding is total: every byte string is a program,
 * nothing in it is refused. A program is a head of 32 bytes and records of 32 bytes, one for each
 * operation, little-endian; what is missing of the last one is zeros, and no bytes at all are the
 * plainest program without operations. Zero is the simplest choice of every field.
 *
 *   head   0  version      0, 1, 2; unknown ones are read as 0
 *          1  format       low 4 bits, through a table
 *          2  vasz         bits; 0 = usual
 *          3  oasz         bits; 0 = usual
 *          4  top          level + 1; 0 = lowest that does
 *          5  scatter      low 4 bits; 9..15 are 1..7
 *          6  encrypt bit  low 6 bits; 0 = 47
 *          7  reserved
 *          8  features     u32, what differs from the usual ones
 *         12  reserved     u32
 *         16  pgsizes      u64 mask; 0 = all
 *         24  tables_pa    u64; 0 = 0x3f000000, 1 = 0
 *   record 0  code         low 5 bits, through a table
 *          1  prot         low 5 bits: MAP_PROT_* ^ rw, so that 0 = rw and 3 = none
 *             or n         n - 1
 *             or clear     low bit
 *          2  iova from    see below; 0 = the field at 8
 *          3  oa from      see below; 0 = the field at 16
 *          4  len from     see below; 0 = the field at 24
 *          5  delta unit   low 2 bits: byte, granule, 512 granules, 512 * 512 granules
 *          6  delta        s16, added to an iova that comes from an earlier operation
 *          8  iova         u64
 *         16  oa           u64
 *         24  len          u64; 0 and one granule change places: 0 = a granule, a granule = 0
 *                          of a switch the lowest bit: 0 = on, 1 = off
 *
 * "From" bytes: the low 6 bits say how many operations back, counting only those that have the operand
 * in question and stopping at the first; without any the field is used. The high 2 bits:
 *          0                1                 2                   3
 *   iova   its first byte   one past its end  its last byte       so that this one ends before it
 *   oa     the same         continuing it     at the same offset  so that this one ends before it
 *   len    the same         twice that        half of it          a granule more
 *
 * Reserved bytes and bits are ignored today and written as 0. Operands that a code lacks are 0.
 * The granule is the format's smallest page: 2 KiB for amdv1_mock, else 4 KiB.
 *
 * Neither the order of the .def lists nor their length shows in what bytes mean: unused codes are
 * aliases of used ones, and whoever gives one a meaning of its own appends a row to versions[].
 */
#include <string.h>

#include "core/base/bits.h"
#include "core/base/check.h"
#include "fuzzers/program.h"

#define HEAD_BYTES   32
#define RECORD_BYTES 32

#define PROT_SIMPLE (MAP_PROT_READ | MAP_PROT_WRITE)

/* What codes mean, by version. */
struct version {
	u8 format[16];
	u8 code[32];
	u32 features;
	u8 prot;
};

static const struct version versions[] = {
	{
		.format = {FORMAT_vtdss, FORMAT_x86_64, FORMAT_amdv1, FORMAT_riscv_64,
			   FORMAT_amdv1_mock, FORMAT_vtdss, FORMAT_x86_64, FORMAT_amdv1,
			   FORMAT_riscv_64, FORMAT_amdv1_mock, FORMAT_vtdss, FORMAT_x86_64,
			   FORMAT_amdv1, FORMAT_riscv_64, FORMAT_vtdss, FORMAT_amdv1},
		.code = {OP_MAP,    OP_UNMAP,  OP_LOOKUP, OP_SYNC,	 OP_MAP_UNWIND, OP_MAP,
			 OP_UNMAP,  OP_LOOKUP, OP_SYNC,	  OP_MAP_UNWIND, OP_MAP,	OP_UNMAP,
			 OP_LOOKUP, OP_SYNC,   OP_MAP,	  OP_UNMAP,	 OP_MAP,	OP_UNMAP,
			 OP_LOOKUP, OP_MAP,    OP_UNMAP,  OP_SYNC,	 OP_MAP,	OP_UNMAP,
			 OP_MAP,    OP_UNMAP,  OP_MAP,	  OP_UNMAP,	 OP_MAP,	OP_UNMAP,
			 OP_MAP,    OP_MAP},
		.features = (FEATURE_SVPBMT << 1) - 1,
		.prot = (MAP_PROT_MMIO << 1) - 1,
	},
	/* failalloc, write, dirty and queue */
	{
		.format = {FORMAT_vtdss, FORMAT_x86_64, FORMAT_amdv1, FORMAT_riscv_64,
			   FORMAT_amdv1_mock, FORMAT_vtdss, FORMAT_x86_64, FORMAT_amdv1,
			   FORMAT_riscv_64, FORMAT_amdv1_mock, FORMAT_vtdss, FORMAT_x86_64,
			   FORMAT_amdv1, FORMAT_riscv_64, FORMAT_vtdss, FORMAT_amdv1},
		.code = {OP_MAP,       OP_UNMAP,      OP_LOOKUP, OP_SYNC,   OP_MAP_UNWIND,
			 OP_FAILALLOC, OP_WRITE,      OP_DIRTY,	 OP_QUEUE,  OP_UNMAP,
			 OP_LOOKUP,    OP_WRITE,      OP_DIRTY,	 OP_SYNC,   OP_MAP,
			 OP_UNMAP,     OP_MAP,	      OP_UNMAP,	 OP_LOOKUP, OP_MAP,
			 OP_FAILALLOC, OP_MAP_UNWIND, OP_MAP,	 OP_UNMAP,  OP_MAP,
			 OP_UNMAP,     OP_WRITE,      OP_DIRTY,	 OP_MAP,    OP_UNMAP,
			 OP_MAP,       OP_QUEUE},
		.features = (FEATURE_SVPBMT << 1) - 1,
		.prot = (MAP_PROT_MMIO << 1) - 1,
	},
	/* armv8_s1, armv8_s2 */
	{
		.format = {FORMAT_vtdss, FORMAT_x86_64, FORMAT_amdv1, FORMAT_riscv_64,
			   FORMAT_amdv1_mock, FORMAT_armv8_s1, FORMAT_armv8_s2, FORMAT_vtdss,
			   FORMAT_x86_64, FORMAT_amdv1, FORMAT_riscv_64, FORMAT_armv8_s1,
			   FORMAT_armv8_s2, FORMAT_amdv1_mock, FORMAT_vtdss, FORMAT_amdv1},
		.code = {OP_MAP,       OP_UNMAP,      OP_LOOKUP, OP_SYNC,   OP_MAP_UNWIND,
			 OP_FAILALLOC, OP_WRITE,      OP_DIRTY,	 OP_QUEUE,  OP_UNMAP,
			 OP_LOOKUP,    OP_WRITE,      OP_DIRTY,	 OP_SYNC,   OP_MAP,
			 OP_UNMAP,     OP_MAP,	      OP_UNMAP,	 OP_LOOKUP, OP_MAP,
			 OP_FAILALLOC, OP_MAP_UNWIND, OP_MAP,	 OP_UNMAP,  OP_MAP,
			 OP_UNMAP,     OP_WRITE,      OP_DIRTY,	 OP_MAP,    OP_UNMAP,
			 OP_MAP,       OP_QUEUE},
		.features = (FEATURE_SVPBMT << 1) - 1,
		.prot = (MAP_PROT_MMIO << 1) - 1,
	},
};

/* What is written: the newest, where codes up to OP_NR stand for themselves. */
#define VERSION (ARRAY_NR(versions) - 1)

static u64 get(const u8 *bytes, unsigned int nr)
{
	u64 value = 0;

	for (unsigned int i = 0; i < nr; i++)
		value |= (u64)bytes[i] << 8 * i;
	return value;
}

static void put(u8 *bytes, unsigned int nr, u64 value)
{
	for (unsigned int i = 0; i < nr; i++)
		bytes[i] = (u8)(value >> 8 * i);
}

/* Operations so far that have an operand: their numbers, oldest first. */
struct having {
	u32 nr;
	u8 op[PROGRAM_OPS_MAX];
};

/**
 * struct decoder - a program half decoded
 * @iova, @oa, @len: which operations have these operands
 */
struct decoder {
	struct program *program;
	const struct version *version;
	unsigned int granule_lg2;
	struct having iova;
	struct having oa;
	struct having len;
};

static void having_add(struct having *having, u32 number)
{
	having->op[having->nr++] = (u8)number;
}

/* referred() - the operation that a "from" byte names, or NULL */
static const struct op *referred(const struct decoder *decoder, const struct having *having,
				 u8 from)
{
	u32 back = from & 63;

	if (!back || !having->nr)
		return NULL;
	return &decoder->program
			->op[having->op[having->nr - (back < having->nr ? back : having->nr)]];
}

/* swap_len() - 0 and one granule change places, both ways */
static u64 swap_len(u64 len, unsigned int granule_lg2)
{
	if (!len)
		return 1ull << granule_lg2;
	return len == 1ull << granule_lg2 ? 0 : len;
}

static u64 decode_len(const struct decoder *decoder, const u8 *record)
{
	const struct op *from = referred(decoder, &decoder->len, record[4]);

	if (!from)
		return swap_len(get(record + 24, 8), decoder->granule_lg2);
	switch (record[4] >> 6) {
	case 0:
		return from->len;
	case 1:
		return from->len * 2;
	case 2:
		return from->len / 2;
	}
	return from->len + (1ull << decoder->granule_lg2);
}

static u64 decode_iova(const struct decoder *decoder, const u8 *record, u64 len)
{
	const struct op *from = referred(decoder, &decoder->iova, record[2]);
	unsigned int unit = record[5] & 3;
	u64 delta = (u64)(s64)(s16)get(record + 6, 2);

	if (!from)
		return get(record + 8, 8);
	if (unit)
		delta <<= decoder->granule_lg2 + 9 * (unit - 1);
	switch (record[2] >> 6) {
	case 0:
		return from->iova + delta;
	case 1:
		return from->iova + from->len + delta;
	case 2:
		return from->iova + from->len - 1 + delta;
	}
	return from->iova - len + delta;
}

static u64 decode_oa(const struct decoder *decoder, const u8 *record, u64 iova, u64 len)
{
	const struct op *from = referred(decoder, &decoder->oa, record[3]);

	if (!from)
		return get(record + 16, 8);
	switch (record[3] >> 6) {
	case 0:
		return from->oa;
	case 1:
		return from->oa + from->len;
	case 2:
		return from->oa + (iova - from->iova);
	}
	return from->oa - len;
}

static void decode_op(struct decoder *decoder, const u8 *record)
{
	u32 number = decoder->program->ops_nr++;
	struct op *op = &decoder->program->op[number];
	u32 operands;

	memset(op, 0, sizeof(*op));
	op->code = decoder->version->code[record[0] & 31];
	operands = op_operands(op->code);
	if (operands & OPERAND_PROT)
		op->prot = (record[1] ^ PROT_SIMPLE) & decoder->version->prot;
	if (operands & OPERAND_SWITCH)
		op->len = ~record[24] & 1;
	if (operands & OPERAND_N)
		op->n = (u16)(record[1] + 1);
	if (operands & OPERAND_CLEAR)
		op->clear = record[1] & 1;
	if (operands & OPERAND_LEN) {
		op->len = decode_len(decoder, record);
		having_add(&decoder->len, number);
	}
	if (operands & OPERAND_IOVA) {
		op->iova = decode_iova(decoder, record, op->len);
		having_add(&decoder->iova, number);
	}
	if (operands & OPERAND_OA) {
		op->oa = decode_oa(decoder, record, op->iova, op->len);
		having_add(&decoder->oa, number);
	}
}

/* piece() - @nr bytes from the front of the input, the missing ones as zeros, in @room if need be */
static const u8 *piece(const u8 **bytes, size_t *bytes_nr, size_t nr, u8 *room)
{
	const u8 *at = *bytes;

	if (*bytes_nr < nr) {
		memset(room, 0, nr);
		if (*bytes_nr)
			memcpy(room, at, *bytes_nr);
		*bytes_nr = 0;
		return room;
	}
	*bytes += nr;
	*bytes_nr -= nr;
	return at;
}

void program_decode(struct program *program, const u8 *bytes, size_t bytes_nr)
{
	struct program_header header = {0};
	struct decoder decoder;
	u8 room[RECORD_BYTES];
	const u8 *head = piece(&bytes, &bytes_nr, HEAD_BYTES, room);

	decoder.program = program;
	decoder.version = &versions[head[0] < ARRAY_NR(versions) ? head[0] : 0];
	decoder.iova.nr = decoder.oa.nr = decoder.len.nr = 0;
	header.format = decoder.version->format[head[1] & 15];
	header.vasz = head[2];
	header.oasz = head[3];
	header.top = head[4];
	header.scatter = head[5];
	header.encrypt_bit = head[6];
	header.features = (u32)get(head + 8, 4) & decoder.version->features;
	header.pgsizes = get(head + 16, 8);
	header.tables_pa = get(head + 24, 8);
	program->walker[0] = 0;
	program_resolve(program, &header);
	decoder.granule_lg2 = program_granule_lg2(header.format);
	program->ops_nr = 0;
	while (bytes_nr && program->ops_nr < PROGRAM_OPS_MAX)
		decode_op(&decoder, piece(&bytes, &bytes_nr, RECORD_BYTES, room));
}

static void encode_head(const struct program *program, u8 *head)
{
	const struct config *config = &program->config;
	struct program_header header;
	struct program again;

	program_header(&header, program);
	program_resolve(&again, &header);
	CHECK_OP(again.tables_pa, ==, program->tables_pa);
	CHECK_OP(again.scatter_lg2, ==, program->scatter_lg2);
	CHECK_OP(again.config.vasz_lg2, ==, config->vasz_lg2);
	CHECK_OP(again.config.oasz_lg2, ==, config->oasz_lg2);
	CHECK_OP(again.config.top_level, ==, config->top_level);
	CHECK_OP(again.config.encrypt_bit, ==, config->encrypt_bit);
	CHECK_OP(again.config.features, ==, config->features);
	memset(head, 0, HEAD_BYTES);
	head[0] = VERSION;
	head[1] = (u8)header.format;
	head[2] = header.vasz;
	head[3] = header.oasz;
	head[4] = header.top;
	head[5] = header.scatter;
	head[6] = header.encrypt_bit;
	put(head + 8, 4, header.features);
	put(head + 16, 8, header.pgsizes);
	put(head + 24, 8, header.tables_pa);
}

static void encode_op(const struct op *op, unsigned int granule_lg2, u8 *record)
{
	u32 operands = op_operands(op->code);

	CHECK_OP(op->code, <, OP_NR);
	CHECK_OP(versions[VERSION].code[op->code], ==, op->code);
	CHECK_OP(op->prot & ~versions[VERSION].prot, ==, 0);
	memset(record, 0, RECORD_BYTES);
	record[0] = op->code;
	if (operands & OPERAND_PROT)
		record[1] = op->prot ^ PROT_SIMPLE;
	else
		CHECK(!op->prot);
	if (operands & OPERAND_N) {
		CHECK_OP(op->n - 1u, <, PROGRAM_N_MAX);
		record[1] = (u8)(op->n - 1);
	} else {
		CHECK(!op->n);
	}
	CHECK(!op->clear || operands & OPERAND_CLEAR);
	record[1] |= op->clear;
	if (operands & OPERAND_IOVA)
		put(record + 8, 8, op->iova);
	else
		CHECK(!op->iova);
	if (operands & OPERAND_OA)
		put(record + 16, 8, op->oa);
	else
		CHECK(!op->oa);
	if (operands & OPERAND_LEN)
		put(record + 24, 8, swap_len(op->len, granule_lg2));
	else if (operands & OPERAND_SWITCH)
		record[24] = !op->len;
	else
		CHECK(!op->len);
}

size_t program_encode(const struct program *program, u8 *bytes)
{
	unsigned int granule_lg2;

	CHECK_OP((u32)program->config.format, <, (u32)FORMAT_NR);
	granule_lg2 = program_granule_lg2(program->config.format);
	CHECK_OP(program->ops_nr, <=, (u32)PROGRAM_OPS_MAX);
	encode_head(program, bytes);
	for (u32 i = 0; i < program->ops_nr; i++)
		encode_op(&program->op[i], granule_lg2, bytes + HEAD_BYTES + RECORD_BYTES * i);
	return HEAD_BYTES + RECORD_BYTES * program->ops_nr;
}
