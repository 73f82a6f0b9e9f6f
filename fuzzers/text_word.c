/*
 * Words, numbers and errors of the text form. An error is one line that names the place and the mend;
 * what it quotes is bounded and printable, whatever the file holds.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "fuzzers/text_word.h"

#define QUOTE_MAX 40

int text_fail(const struct text_place *place, const char *format, ...)
{
	va_list args;
	int nr;

	if (!place->error_bytes)
		return -EINVAL;
	nr = snprintf(place->error, place->error_bytes, "%s:%u: ", place->name, place->line);
	if (nr >= 0 && (size_t)nr < place->error_bytes) {
		va_start(args, format);
		vsnprintf(place->error + nr, place->error_bytes - (size_t)nr, format, args);
		va_end(args);
	}
	return -EINVAL;
}

char *text_quote(struct word word, char *room)
{
	size_t nr = word.nr < QUOTE_MAX ? word.nr : QUOTE_MAX;

	for (size_t i = 0; i < nr; i++)
		room[i] = word.text[i] >= ' ' && word.text[i] <= '~' ? word.text[i] : '?';
	strcpy(room + nr, nr < word.nr ? "..." : "");
	return room;
}

char *text_join(text_list *list, char *room)
{
	size_t used = 0;

	*room = 0;
	for (unsigned int i = 0; list(i) && used < TEXT_JOIN_BYTES; i++)
		used += (size_t)snprintf(room + used, TEXT_JOIN_BYTES - used, i ? ", %s" : "%s",
					 list(i));
	return room;
}

int text_unknown(const struct text_place *place, const char *what, struct word word,
		 text_list *list, const char *more)
{
	char quote[TEXT_QUOTE_BYTES];
	char allowed[TEXT_JOIN_BYTES];

	return text_fail(place, "unknown %s `%s`; allowed: %s%s", what, text_quote(word, quote),
			 text_join(list, allowed), more);
}

bool text_next(struct word *rest, const char *between, struct word *word)
{
	while (rest->nr && strchr(between, *rest->text)) {
		rest->text++;
		rest->nr--;
	}
	word->text = rest->text;
	while (rest->nr && !strchr(between, *rest->text)) {
		rest->text++;
		rest->nr--;
	}
	word->nr = (size_t)(rest->text - word->text);
	return word->nr;
}

bool text_cut(struct word *rest, char between, struct word *part)
{
	const char *end;

	if (!rest->text)
		return false;
	end = memchr(rest->text, between, rest->nr);
	part->text = rest->text;
	part->nr = end ? (size_t)(end - rest->text) : rest->nr;
	rest->text = end ? end + 1 : NULL;
	rest->nr = end ? rest->nr - part->nr - 1 : 0;
	return true;
}

int text_find(struct word word, text_list *list)
{
	for (unsigned int i = 0; list(i); i++) {
		if (text_is(word, list(i)))
			return (int)i;
	}
	return -1;
}

/* digit() - the value of a digit, or 16 */
static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A') + 10;
	return 16;
}

int text_number(const struct text_place *place, const char *what, struct word word, u64 *value)
{
	bool hex = word.nr >= 2 && word.text[0] == '0' && (word.text[1] | 32) == 'x';
	unsigned int base = hex ? 16 : 10;
	char quote[TEXT_QUOTE_BYTES];
	u64 sum = 0;
	size_t i = hex ? 2 : 0;

	if (i == word.nr)
		goto no_number;
	for (; i < word.nr; i++) {
		if (digit(word.text[i]) >= base)
			goto no_number;
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit(word.text[i]), &sum))
			return text_fail(place,
					 "%s=%s does not fit in 64 bits; the largest is "
					 "0xffffffffffffffff",
					 what, text_quote(word, quote));
	}
	*value = sum;
	return 0;

no_number:
	return text_fail(place,
			 "%s=%s is not a number; write it in decimal, or in hexadecimal after 0x",
			 what, text_quote(word, quote));
}

int text_assignment(const struct text_place *place, struct word word, text_list *list, u32 *seen,
		    struct word *value)
{
	struct word name;
	int number;

	*value = word;
	text_cut(value, '=', &name);
	number = text_find(name, list);
	if (number < 0)
		return text_unknown(place, "word", name, list, "");
	if (!value->text || !value->nr)
		return text_fail(place, "%s has no value; write %s=VALUE",
				 list((unsigned int)number), list((unsigned int)number));
	if (*seen >> number & 1)
		return text_fail(place, "%s is given twice; remove one",
				 list((unsigned int)number));
	*seen |= 1u << number;
	return number;
}
