/* The words of fuzzers/op.def, as a table. */
#include "fuzzers/program.h"

static const struct {
	const char *word;
	const char *about;
	u32 operands;
} ops[] = {
#define OP(id, word, operands, about) {word, about, operands},
#include "fuzzers/op.def"
#undef OP
};

const char *op_word(unsigned int code)
{
	return code < OP_NR ? ops[code].word : NULL;
}

const char *op_about(unsigned int code)
{
	return code < OP_NR ? ops[code].about : NULL;
}

u32 op_operands(unsigned int code)
{
	return code < OP_NR ? ops[code].operands : 0;
}
