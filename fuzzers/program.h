/*
 * A program: one machine, one table config, and a list of operations. It has three spellings: this
 * struct, bytes (what fuzzing engines mutate; decoding is total: every byte string is a program) and
 * text (what people read, edit and commit). fuzzers/program.c is the byte form,
 * fuzzers/text_parse.c and text_print.c the text form.
 */
#ifndef FUZZERS_PROGRAM_H
#define FUZZERS_PROGRAM_H

#include "core/base/config.h"
#include "core/base/types.h"

#define PROGRAM_OPS_MAX	   256
#define PROGRAM_TEXT_MAX   (256 * PROGRAM_OPS_MAX + 4096)
#define PROGRAM_BYTES_MAX  (32 + 32 * PROGRAM_OPS_MAX)
#define PROGRAM_WALKER_MAX 32

enum op_code {
#define OP(id, word, operands, about) OP_##id,
#include "fuzzers/op.def"
#undef OP
	OP_NR
};

/* Which operands an operation has. */
enum {
	OPERAND_IOVA = 1,
	OPERAND_OA = 2,
	OPERAND_LEN = 4,
	OPERAND_PROT = 8,
	OPERAND_N = 16,
	OPERAND_CLEAR = 32,  /* may be left out */
	OPERAND_SWITCH = 64, /* on or off; stands in @len as 1 or 0 */
};

#define PROGRAM_N_MAX 256u

/*
 * One operation. Operands that its code doesn't have are 0. @prot is a mask of MAP_PROT_*; OPERAND_SWITCH
 * is a @len of 1 for on, 0 for off.
 */
struct op {
	u8 code;
	u8 prot;
	u16 n; /* 1..PROGRAM_N_MAX */
	bool clear;
	u64 iova;
	u64 oa;
	u64 len;
};

/**
 * struct program - a machine, a config, operations
 * @walker: the walker that `walker NAME` asks for, or ""; not part of the byte form
 * @config: what the table is opened with; not necessarily legal
 * @tables_pa, @scatter_lg2: where the machine puts table pages (struct host_config)
 */
struct program {
	char walker[PROGRAM_WALKER_MAX];
	struct config config;
	u64 tables_pa;
	u8 scatter_lg2;
	u32 ops_nr;
	struct op op[PROGRAM_OPS_MAX];
};

const char *op_word(unsigned int code);
const char *op_about(unsigned int code);
u32 op_operands(unsigned int code);

/* The plainest of each choice that has no other home. */
#define PROGRAM_TABLES_PA     0x3f000000ull
#define PROGRAM_ENCRYPT_BIT   47
#define PROGRAM_SCATTER_MAX   8
#define PROGRAM_MACHINE_PAGES 1024 /* so many table pages always have room in physical memory */

/**
 * struct program_header - the choices of a program's head, each with 0 for the plainest
 * @vasz, @oasz: bits, 1..64 (larger ones are folded); 0: the format's usual width
 * @top: level + 1, folded to 0..7; 0: the lowest level that is tall enough for vasz, or where a
 *	growing top usually starts
 * @scatter: 0..8, larger ones are folded
 * @encrypt_bit: 1..63, folded, and raised until the machine's table pages fit below it; 0: 47.
 *	Nothing without encrypt-tables.
 * @features: bits that differ from program_plain_features(); unknown ones are nothing
 * @pgsizes: mask, 0: all
 * @tables_pa: low 12 bits are cut, except that 1 is the address 0; bits that the machine has no room
 *	for are cut; 0: PROGRAM_TABLES_PA, or as much of it as there is room for
 */
struct program_header {
	enum format format;
	u8 vasz;
	u8 oasz;
	u8 top;
	u8 scatter;
	u8 encrypt_bit;
	u32 features;
	u64 pgsizes;
	u64 tables_pa;
};

/* program_resolve() - fills everything but the walker's name and the operations; never fails */
void program_resolve(struct program *program, const struct program_header *header);

/* program_header() - the choices that resolve to @program, with as many zeros as there can be */
void program_header(struct program_header *header, const struct program *program);

/* program_plain_features() - what a header with features 0 asks for */
u32 program_plain_features(enum format format);

/* program_granule_lg2() - the smallest page of @format: len 0 and deltas count in it */
unsigned int program_granule_lg2(enum format format);

/* program_encrypt_min() - lowest encryption bit below which a machine of @scatter_lg2 fits */
unsigned int program_encrypt_min(unsigned int scatter_lg2);

/* program_tables_max() - highest tables_pa that leaves room for the machine's table pages */
u64 program_tables_max(const struct config *config, unsigned int scatter_lg2);

/* program_decode() - the program that @bytes spell; never fails. Operations past the limit are cut. */
void program_decode(struct program *program, const u8 *bytes, size_t bytes_nr);

/*
 * program_encode() - bytes that decode to @program (its walker name apart)
 * @bytes: room for PROGRAM_BYTES_MAX. Returns how many were used.
 * Operands are spelt raw; fields that no byte string can spell are a CHECK.
 */
size_t program_encode(const struct program *program, u8 *bytes);

/*
 * text_parse() - reads the text form
 * @name: what to call the text in an error, usually its file
 * @error: room for @error_bytes; on failure one line "NAME:LINE: reason" without a newline
 * Returns 0, or -EINVAL.
 */
int text_parse(struct program *program, const char *text, size_t text_bytes, const char *name,
	       char *error, size_t error_bytes);

/*
 * text_print() - the text form, with a final zero
 * @text: room for PROGRAM_TEXT_MAX. Returns its length.
 */
size_t text_print(const struct program *program, char *text);

/* text_print_op() - one operation without indentation or newline, at most 160 bytes */
size_t text_print_op(const struct op *op, char *text);

/* text_print_config() - the `config` line without newline, at most 320 bytes */
size_t text_print_config(const struct program *program, char *text);

/* text_is_program() - whether bytes are the text form (they start, comments apart, with "ptfuzz") */
bool text_is_program(const u8 *bytes, size_t bytes_nr);

#endif
