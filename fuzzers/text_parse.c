/*
 * Reading programs in the text form: what people write, edit and commit. One statement a line, words
 * separated by blanks, `#` starts a comment, numbers are decimal, or hexadecimal after 0x:
 *
 *   ptfuzz 1                         first of all
 *   walker NAME                      optional
 *   format NAME
 *   config WORD=VALUE ...            optional; fuzzers/text_config.c
 *   OPERATION OPERAND=VALUE ...      any number, after the lines above
 *
 * Operands come in any order; each operation has exactly those that fuzzers/op.def says; `clear` is a
 * word without value and may be left out. A last line without its newline is taken for a file that was
 * cut short.
 */
#include <errno.h>

#include "core/base/bits.h"
#include "fuzzers/text_config.h"

enum {
	STATEMENT_WALKER,
	STATEMENT_FORMAT,
	STATEMENT_CONFIG,
	STATEMENT_OP, /* the first of them */
};

/**
 * struct parser - a text half read
 * @begun: `ptfuzz 1` was read
 * @settled: the config is complete; operations may follow, nothing else
 * @seen: mask of statements before the operations
 */
struct parser {
	struct text_place place;
	struct program *program;
	struct text_config config;
	enum format format;
	bool begun;
	bool settled;
	u32 seen;
};

static const char *statement_word(unsigned int number)
{
	static const char *const head[] = {"walker", "format", "config"};

	return number < STATEMENT_OP ? head[number] : op_word(number - STATEMENT_OP);
}

static const char *operand_word(unsigned int number)
{
	static const char *const operands[] = {"iova", "oa", "len", "prot", "n", "clear"};

	return number < ARRAY_NR(operands) ? operands[number] : NULL;
}

/* parse_end() - nothing may follow */
static int parse_end(struct parser *parser, struct word rest)
{
	char quote[TEXT_QUOTE_BYTES];
	struct word word;

	if (!text_next(&rest, TEXT_BLANKS, &word))
		return 0;
	return text_fail(&parser->place, "`%s` is one word too many; remove it",
			 text_quote(word, quote));
}

static int parse_prot(struct parser *parser, struct word list, u8 *prot)
{
	struct word word;

	*prot = 0;
	if (text_is(list, "none"))
		return 0;
	while (text_cut(&list, '+', &word)) {
		int bit = text_find(word, prot_word);
		u32 more = bit < 0 ? 0 : 1u << bit;

		if (text_is(word, "rw"))
			more = MAP_PROT_READ | MAP_PROT_WRITE;
		if (!more)
			return text_unknown(&parser->place, "prot", word, prot_word, ", rw, none");
		if (*prot & more)
			return text_fail(&parser->place, "prot %s is given twice; remove one",
					 prot_word(bits_lowest(*prot & more)));
		*prot |= (u8)more;
	}
	return 0;
}

/* operands_text() - "iova, len", for errors; @room: at least 32 bytes */
static const char *operands_text(u32 operands, char *room)
{
	*room = 0;
	for (unsigned int i = 0; operand_word(i); i++) {
		if (!(operands >> i & 1))
			continue;
		if (*room)
			strcat(room, ", ");
		strcat(room, operand_word(i));
	}
	return *room ? room : "no operands";
}

static int parse_n(struct parser *parser, struct word value, u16 *n)
{
	u64 number;
	int ret = text_number(&parser->place, "n", value, &number);

	if (ret)
		return ret;
	if (!number || number > PROGRAM_N_MAX)
		return text_fail(&parser->place, "n=%llu is out of range; it goes from 1 to %u",
				 number, PROGRAM_N_MAX);
	*n = (u16)number;
	return 0;
}

static int parse_clear(struct parser *parser, struct op *op)
{
	char room[32];

	if (!(op_operands(op->code) & OPERAND_CLEAR))
		return text_fail(&parser->place, "%s has no clear; it takes %s", op_word(op->code),
				 operands_text(op_operands(op->code), room));
	if (op->clear)
		return text_fail(&parser->place, "clear is given twice; remove one");
	op->clear = true;
	return 0;
}

static int parse_operand(struct parser *parser, struct op *op, u32 *seen, struct word word)
{
	const char *name = op_word(op->code);
	u32 operands = op_operands(op->code);
	struct word value;
	char room[32];
	int number;

	if (!operands)
		return parse_end(parser, word);
	if (text_is(word, "clear"))
		return parse_clear(parser, op);
	number = text_assignment(&parser->place, word, operand_word, seen, &value);
	if (number < 0)
		return number;
	switch (operands & 1u << number) {
	case OPERAND_IOVA:
		return text_number(&parser->place, "iova", value, &op->iova);
	case OPERAND_OA:
		return text_number(&parser->place, "oa", value, &op->oa);
	case OPERAND_LEN:
		return text_number(&parser->place, "len", value, &op->len);
	case OPERAND_PROT:
		return parse_prot(parser, value, &op->prot);
	case OPERAND_N:
		return parse_n(parser, value, &op->n);
	case OPERAND_CLEAR:
		return text_fail(&parser->place, "clear takes no value; write clear");
	}
	return text_fail(&parser->place, "%s has no %s; it takes %s", name,
			 operand_word((unsigned int)number), operands_text(operands, room));
}

/* settle() - the lines before the operations are complete */
static int settle(struct parser *parser)
{
	char formats[TEXT_JOIN_BYTES];

	parser->settled = true;
	if (!(parser->seen >> STATEMENT_FORMAT & 1))
		return text_fail(
			&parser->place,
			"no format is told; add `format NAME` before the operations, one of: %s",
			text_join(format_word, formats));
	return text_config_settle(&parser->config, &parser->place, parser->format, parser->program);
}

/* parse_switch() - `on` or `off`, and nothing more */
static int parse_switch(struct parser *parser, struct op *op, struct word rest)
{
	char quote[TEXT_QUOTE_BYTES];
	struct word word;

	if (!text_next(&rest, TEXT_BLANKS, &word))
		return text_fail(&parser->place, "%s lacks on or off", op_word(op->code));
	if (!text_is(word, "on") && !text_is(word, "off"))
		return text_fail(&parser->place, "%s `%s`; write on or off", op_word(op->code),
				 text_quote(word, quote));
	op->len = text_is(word, "on");
	return parse_end(parser, rest);
}

static int parse_op(struct parser *parser, u32 code, struct word rest)
{
	struct program *program = parser->program;
	struct op *op = &program->op[program->ops_nr];
	u32 seen = 0;
	struct word word;
	char room[32];

	if (!parser->settled && settle(parser))
		return -EINVAL;
	if (program->ops_nr == PROGRAM_OPS_MAX)
		return text_fail(&parser->place, "more than %u operations; remove some",
				 PROGRAM_OPS_MAX);
	*op = (struct op){.code = (u8)code};
	if (op_operands(code) & OPERAND_SWITCH)
		return parse_switch(parser, op, rest) ? -EINVAL : (program->ops_nr++, 0);
	while (text_next(&rest, TEXT_BLANKS, &word)) {
		if (parse_operand(parser, op, &seen, word))
			return -EINVAL;
	}
	seen |= OPERAND_CLEAR;
	if (op_operands(code) & ~seen)
		return text_fail(&parser->place, "%s lacks %s", op_word(code),
				 operands_text(op_operands(code) & ~seen, room));
	program->ops_nr++;
	return 0;
}

static int parse_walker(struct parser *parser, struct word rest)
{
	char quote[TEXT_QUOTE_BYTES];
	struct word word;

	if (!text_next(&rest, TEXT_BLANKS, &word))
		return text_fail(&parser->place, "walker has no name; write walker NAME");
	for (size_t i = 0; i < word.nr; i++) {
		if (word.text[i] <= ' ' || word.text[i] > '~')
			return text_fail(&parser->place,
					 "`%s` is no walker's name; use printable "
					 "ASCII characters",
					 text_quote(word, quote));
	}
	if (word.nr >= PROGRAM_WALKER_MAX)
		return text_fail(&parser->place, "the walker's name is longer than %u characters",
				 PROGRAM_WALKER_MAX - 1);
	memcpy(parser->program->walker, word.text, word.nr);
	parser->program->walker[word.nr] = 0;
	return parse_end(parser, rest);
}

static int parse_format(struct parser *parser, struct word rest)
{
	struct word word;
	int format;

	text_next(&rest, TEXT_BLANKS, &word);
	format = text_find(word, format_word);
	if (format < 0)
		return text_unknown(&parser->place, "format", word, format_word, "");
	parser->format = (enum format)format;
	return parse_end(parser, rest);
}

static int parse_first(struct parser *parser, struct word word, struct word rest)
{
	char quote[TEXT_QUOTE_BYTES];
	struct word version;

	if (!text_is(word, "ptfuzz"))
		return text_fail(&parser->place,
				 "`%s` stands where a program starts; the first line is `ptfuzz 1`",
				 text_quote(word, quote));
	text_next(&rest, TEXT_BLANKS, &version);
	if (!text_is(version, "1"))
		return text_fail(&parser->place, "unknown version `%s`; write `ptfuzz 1`",
				 text_quote(version, quote));
	parser->begun = true;
	return parse_end(parser, rest);
}

static int parse_line(struct parser *parser, struct word line)
{
	struct word word, rest;
	int number;

	if (memchr(line.text, 0, line.nr))
		return text_fail(&parser->place, "a zero byte: this is not text");
	text_cut(&line, '#', &rest);
	if (!text_next(&rest, TEXT_BLANKS, &word))
		return 0;
	if (!parser->begun)
		return parse_first(parser, word, rest);
	if (text_is(word, "ptfuzz"))
		return text_fail(&parser->place, "ptfuzz is given twice; a file holds one program");
	number = text_find(word, statement_word);
	if (number < 0)
		return text_unknown(&parser->place, "word", word, statement_word, "");
	if (number >= STATEMENT_OP)
		return parse_op(parser, (u32)number - STATEMENT_OP, rest);
	if (parser->settled)
		return text_fail(&parser->place, "%s stands after an operation; move it up",
				 statement_word((unsigned int)number));
	if (parser->seen >> number & 1)
		return text_fail(&parser->place, "%s is given twice; remove one",
				 statement_word((unsigned int)number));
	parser->seen |= 1u << number;
	if (number == STATEMENT_WALKER)
		return parse_walker(parser, rest);
	if (number == STATEMENT_FORMAT)
		return parse_format(parser, rest);
	return text_config_parse(&parser->config, &parser->place, rest);
}

int text_parse(struct program *program, const char *text, size_t text_bytes, const char *name,
	       char *error, size_t error_bytes)
{
	struct parser parser = {
		.place = {.name = name, .line = 0, .error = error, .error_bytes = error_bytes},
		.program = program,
	};
	struct word rest = {text, text_bytes};
	struct word line;

	program->walker[0] = 0;
	program->ops_nr = 0;
	while (rest.nr && text_cut(&rest, '\n', &line)) {
		parser.place.line++;
		if (parse_line(&parser, line))
			return -EINVAL;
		if (!rest.text)
			return text_fail(&parser.place,
					 "the last line has no newline: the file may "
					 "be cut short; complete it");
	}
	if (!parser.place.line)
		parser.place.line = 1;
	if (!parser.begun)
		return text_fail(&parser.place, "no program; the first line is `ptfuzz 1`");
	return parser.settled ? 0 : settle(&parser);
}

bool text_is_program(const u8 *bytes, size_t bytes_nr)
{
	struct word rest = {(const char *)bytes, bytes_nr};
	struct word line, part, word;

	while (rest.nr && text_cut(&rest, '\n', &line)) {
		text_cut(&line, '#', &part);
		if (memchr(part.text, 0, part.nr))
			return false;
		if (text_next(&part, TEXT_BLANKS, &word))
			return text_is(word, "ptfuzz");
	}
	return false;
}
