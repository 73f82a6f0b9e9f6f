/*
 * The `config` line of the text form: WORD=VALUE in any order, each at most once; a word left out is
 * the plainest choice, as zero is in the byte form. A value that the byte form cannot spell is an error
 * here, so that both forms have the same programs.
 */
#include <errno.h>

#include "core/base/bits.h"
#include "fuzzers/text_config.h"

enum {
	WORD_VASZ,
	WORD_OASZ,
	WORD_TOP,
	WORD_FEATURES,
	WORD_PGSIZES,
	WORD_TABLES,
	WORD_SCATTER,
	WORD_ENCRYPT_BIT,
	WORD_NR
};

/* Numbers have a range; what depends on other words is checked when all are known. */
static const struct {
	const char *word;
	u64 min;
	u64 max;
} words[WORD_NR] = {
	[WORD_VASZ] = {"vasz", 1, 64},
	[WORD_OASZ] = {"oasz", 1, 64},
	[WORD_TOP] = {"top", 0, 7},
	[WORD_FEATURES] = {"features", 0, 0},
	[WORD_PGSIZES] = {"pgsizes", 1, ~0ull},
	[WORD_TABLES] = {"tables", 0, ~0ull},
	[WORD_SCATTER] = {"scatter", 0, PROGRAM_SCATTER_MAX},
	[WORD_ENCRYPT_BIT] = {"encrypt-bit", 0, ~0ull},
};

static const char *config_word(unsigned int number)
{
	return number < WORD_NR ? words[number].word : NULL;
}

static int parse_features(struct text_config *config, const struct text_place *place,
			  struct word list)
{
	struct word word;

	if (text_is(list, "none"))
		return 0;
	while (text_cut(&list, ',', &word)) {
		int bit = text_find(word, feature_word);

		if (bit < 0)
			return text_unknown(place, "feature", word, feature_word, ", none");
		if (config->features >> bit & 1)
			return text_fail(place, "feature %s is given twice; remove one",
					 feature_word((unsigned int)bit));
		config->features |= 1u << bit;
	}
	return 0;
}

static int parse_number(struct text_config *config, const struct text_place *place, int number,
			struct word word)
{
	const char *name = words[number].word;
	u64 value;

	if (number == WORD_PGSIZES && text_is(word, "all"))
		return 0;
	if (text_number(place, name, word, &value))
		return -EINVAL;
	if (number == WORD_PGSIZES && !value)
		return text_fail(place, "pgsizes=0 leaves no page size; write pgsizes=all");
	if (value < words[number].min || value > words[number].max)
		return text_fail(place, "%s=%llu is out of range; it goes from %llu to %llu", name,
				 value, words[number].min, words[number].max);
	if (number == WORD_VASZ)
		config->header.vasz = (u8)value;
	if (number == WORD_OASZ)
		config->header.oasz = (u8)value;
	if (number == WORD_TOP)
		config->header.top = (u8)(value + 1);
	if (number == WORD_PGSIZES)
		config->header.pgsizes = value;
	if (number == WORD_TABLES)
		config->tables_pa = value;
	if (number == WORD_SCATTER)
		config->header.scatter = (u8)value;
	if (number == WORD_ENCRYPT_BIT)
		config->encrypt_bit = value;
	return 0;
}

int text_config_parse(struct text_config *config, const struct text_place *place, struct word rest)
{
	struct word word, value;

	config->line = place->line;
	while (text_next(&rest, TEXT_BLANKS, &word)) {
		int number = text_assignment(place, word, config_word, &config->seen, &value);

		if (number < 0)
			return number;
		if (number == WORD_FEATURES ? parse_features(config, place, value)
					    : parse_number(config, place, number, value))
			return -EINVAL;
	}
	return 0;
}

static int check_encrypt_bit(const struct text_config *config, const struct text_place *place,
			     const struct program *program)
{
	unsigned int min = program_encrypt_min(program->scatter_lg2);

	if (!(program->config.features & FEATURE_ENCRYPT_TABLES))
		return text_fail(place, "encrypt-bit needs encrypt-tables among the features; add "
					"that or remove it");
	if (config->encrypt_bit < min || config->encrypt_bit > 63)
		return text_fail(place,
				 "encrypt-bit=%llu is out of range; with scatter=%u it goes from "
				 "%u to 63",
				 config->encrypt_bit, program->scatter_lg2, min);
	return 0;
}

static int check_tables(const struct text_config *config, const struct text_place *place,
			const struct program *program)
{
	u64 max = program_tables_max(&program->config, program->scatter_lg2);

	if (!bits_aligned(config->tables_pa, 12))
		return text_fail(place, "tables=0x%llx is not a multiple of 0x1000",
				 config->tables_pa);
	if (config->tables_pa > max)
		return text_fail(place,
				 "tables=0x%llx leaves no room for the machine's table pages; with "
				 "this config the highest is 0x%llx",
				 config->tables_pa, max);
	return 0;
}

int text_config_settle(const struct text_config *config, const struct text_place *place,
		       enum format format, struct program *program)
{
	struct program_header header = config->header;
	struct text_place at = *place;
	bool encrypt = config->seen >> WORD_ENCRYPT_BIT & 1;
	bool tables = config->seen >> WORD_TABLES & 1;

	header.format = format;
	if (config->seen >> WORD_FEATURES & 1)
		header.features = config->features ^ program_plain_features(format);
	if (encrypt)
		header.encrypt_bit = (u8)config->encrypt_bit;
	if (tables)
		header.tables_pa = config->tables_pa ? config->tables_pa : 1;
	program_resolve(program, &header);
	at.line = config->line;
	if (encrypt && check_encrypt_bit(config, &at, program))
		return -EINVAL;
	return tables ? check_tables(config, &at, program) : 0;
}
