/* The `config` line of the text form. Private to the files that read the text form of programs. */
#ifndef FUZZERS_TEXT_CONFIG_H
#define FUZZERS_TEXT_CONFIG_H

#include "fuzzers/program.h"
#include "fuzzers/text_word.h"

/**
 * struct text_config - what a config line asks for; all zeros when there is none
 * @line: where it stands
 * @seen: mask of the words that were given
 * @header: what they choose, apart from the following, which depend on each other and on the format
 * @features, @tables_pa, @encrypt_bit: as they were given
 */
struct text_config {
	u32 line;
	u32 seen;
	struct program_header header;
	u32 features;
	u64 tables_pa;
	u64 encrypt_bit;
};

/* text_config_parse() - reads what follows the word `config`. Returns 0 or -EINVAL. */
int text_config_parse(struct text_config *config, const struct text_place *place, struct word rest);

/*
 * text_config_settle() - fills @program's config and machine
 * @format: the program's format
 * Returns 0, or -EINVAL when words contradict each other or the format.
 */
int text_config_settle(const struct text_config *config, const struct text_place *place,
		       enum format format, struct program *program);

#endif
