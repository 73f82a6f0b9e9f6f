/*
 * The words of a line of text, and one error for the whole text. Private to the files that read the
 * text form of programs.
 */
#ifndef FUZZERS_TEXT_WORD_H
#define FUZZERS_TEXT_WORD_H

#include <string.h>

#include "core/base/types.h"

#define TEXT_BLANKS " \t\r" /* what separates words */

/* A part of the text; not ended by a zero. */
struct word {
	const char *text;
	size_t nr;
};

/**
 * struct text_place - where a parser is, and where its error goes
 * @line: number of the current line, from 1
 */
struct text_place {
	const char *name;
	u32 line;
	char *error;
	size_t error_bytes;
};

/* A list of words by number, NULL past its end: op_word() and its like. */
typedef const char *text_list(unsigned int number);

/* text_fail() - writes the error, "NAME:LINE: " and the reason, and returns -EINVAL */
int text_fail(const struct text_place *place, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * text_quote() - @word as it may stand in an error: shortened, and nothing but printable characters
 * @room: at least TEXT_QUOTE_BYTES. Returns @room.
 */
#define TEXT_QUOTE_BYTES 44
char *text_quote(struct word word, char *room);

/*
 * text_join() - the words of @list, separated by commas
 * @room: at least TEXT_JOIN_BYTES. Returns @room.
 */
#define TEXT_JOIN_BYTES 512
char *text_join(text_list *list, char *room);

/* text_unknown() - fails with "unknown WHAT `WORD`; allowed: " and the words of @list and @more */
int text_unknown(const struct text_place *place, const char *what, struct word word,
		 text_list *list, const char *more);

/* text_next() - cuts the next word off the front of @rest; words are separated by any of @between */
bool text_next(struct word *rest, const char *between, struct word *word);

/* text_cut() - cuts the part before the next @between off the front of @rest; it can be empty */
bool text_cut(struct word *rest, char between, struct word *part);

/* text_find() - the number of @word in @list, or -1 */
int text_find(struct word word, text_list *list);

/*
 * text_number() - reads a decimal number, or a hexadecimal one that starts with 0x
 * @what: for the error: what it is. Returns 0 or -EINVAL.
 */
int text_number(const struct text_place *place, const char *what, struct word word, u64 *value);

/*
 * text_assignment() - takes "NAME=VALUE" apart
 * @list: the names there are
 * @seen: mask of the names that were given before; this one is added
 * Returns the name's number or -EINVAL.
 */
int text_assignment(const struct text_place *place, struct word word, text_list *list, u32 *seen,
		    struct word *value);

static inline bool text_is(struct word word, const char *text)
{
	return word.nr == strlen(text) && !memcmp(word.text, text, word.nr);
}

#endif
