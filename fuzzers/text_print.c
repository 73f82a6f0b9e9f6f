/*
 * Printing programs in the text form, which fuzzers/text_parse.c describes and reads. The head's
 * choices are printed as what they came to, so that a text keeps its meaning should the plainest choice
 * ever be another one; only scatter and encrypt-bit are left out when they say nothing.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/check.h"
#include "fuzzers/program.h"

#define OP_BYTES     160
#define CONFIG_BYTES 320

/* A text that grows; passing its end is a mistake of ours. */
struct out {
	char *text;
	size_t used;
	size_t bytes;
};

static __attribute__((format(printf, 2, 3))) void put(struct out *out, const char *format, ...)
{
	va_list args;
	int nr;

	va_start(args, format);
	nr = vsnprintf(out->text + out->used, out->bytes - out->used, format, args);
	va_end(args);
	CHECK(nr >= 0);
	CHECK_OP((size_t)nr, <, out->bytes - out->used);
	out->used += (size_t)nr;
}

static void put_prot(struct out *out, u32 prot)
{
	const char *between = "";

	if (!prot)
		put(out, "none");
	for (unsigned int bit = 0; bit < MAP_BIT_NR; bit++) {
		if (!(prot >> bit & 1))
			continue;
		put(out, "%s%s", bit == MAP_BIT_WRITE ? "" : between, prot_word(bit));
		between = "+";
	}
}

static void put_op(struct out *out, const struct op *op)
{
	u32 operands = op_operands(op->code);

	put(out, operands ? "%-6s" : "%s", op_word(op->code));
	if (operands & OPERAND_IOVA)
		put(out, " iova=0x%llx", op->iova);
	if (operands & OPERAND_OA)
		put(out, " oa=0x%llx", op->oa);
	if (operands & OPERAND_LEN)
		put(out, " len=0x%llx", op->len);
	if (operands & OPERAND_SWITCH)
		put(out, " %s", op->len ? "on" : "off");
	if (operands & OPERAND_PROT) {
		put(out, " prot=");
		put_prot(out, op->prot);
	}
	if (operands & OPERAND_N)
		put(out, " n=%u", op->n);
	if (op->clear)
		put(out, " clear");
}

static void put_features(struct out *out, u32 features)
{
	const char *between = "";

	if (!features)
		put(out, "none");
	for (unsigned int bit = 0; bit < FEATURE_NR; bit++) {
		if (!(features >> bit & 1))
			continue;
		put(out, "%s%s", between, feature_word(bit));
		between = ",";
	}
}

static void put_config(struct out *out, const struct program *program)
{
	const struct config *config = &program->config;

	put(out, "config vasz=%u oasz=%u top=%u features=", config->vasz_lg2, config->oasz_lg2,
	    config->top_level);
	put_features(out, config->features);
	if (config->pgsizes)
		put(out, " pgsizes=0x%llx", config->pgsizes);
	else
		put(out, " pgsizes=all");
	put(out, " tables=0x%llx", program->tables_pa);
	if (program->scatter_lg2)
		put(out, " scatter=%u", program->scatter_lg2);
	if (config->encrypt_bit && config->encrypt_bit != PROGRAM_ENCRYPT_BIT)
		put(out, " encrypt-bit=%u", config->encrypt_bit);
}

size_t text_print_op(const struct op *op, char *text)
{
	struct out out = {text, 0, OP_BYTES};

	put_op(&out, op);
	return out.used;
}

size_t text_print_config(const struct program *program, char *text)
{
	struct out out = {text, 0, CONFIG_BYTES};

	put_config(&out, program);
	return out.used;
}

size_t text_print(const struct program *program, char *text)
{
	struct out out = {text, 0, PROGRAM_TEXT_MAX};

	put(&out, "ptfuzz 1\n");
	if (program->walker[0])
		put(&out, "walker %s\n", program->walker);
	put(&out, "format %s\n", format_word(program->config.format));
	put_config(&out, program);
	put(&out, "\n");
	for (u32 i = 0; i < program->ops_nr; i++) {
		put_op(&out, &program->op[i]);
		put(&out, "\n");
	}
	return out.used;
}
