/*
 * Entries in words, for people: the names are the manuals', from the rows. A bit appears when it is
 * set, a longer field when it is not 0.
 */
#include <stdarg.h>
#include <stdio.h>

#include "oracle/layout.h"

static const char encrypt_label[] = "C-bit (AMD64 APM 2 7.10, inside the address)";

struct text {
	char *at;
	size_t left;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *text, const char *format, ...)
{
	va_list arguments;
	int bytes;

	va_start(arguments, format);
	bytes = vsnprintf(text->at, text->left, format, arguments);
	va_end(arguments);
	if (bytes < 0 || !text->left)
		return;
	if ((size_t)bytes >= text->left)
		bytes = (int)text->left - 1;
	text->at += bytes;
	text->left -= (size_t)bytes;
}

static void add_field(struct text *text, const struct layout_field *field, u64 word,
		      const struct entry *entry)
{
	u64 value = bits_get(word, layout_field_bits(field));

	if (field->role == ROLE_OA && entry->kind != ENTRY_BAD)
		add(text, "%s=0x%llx ", entry->kind == ENTRY_TABLE ? "pa" : "oa", entry->oa);
	else if (value && field->low == field->high)
		add(text, "%s ", field->name);
	else if (value)
		add(text, "%s=0x%llx ", field->name, value);
}

/* Which rows describe @word: a bad entry is shown as a leaf if the level can have one. */
static unsigned int kind_of(const struct layout *layout, unsigned int level,
			    const struct entry *entry)
{
	if (entry->kind == ENTRY_TABLE || !layout->level[level].leaf_sizes)
		return KIND_TABLE;
	return KIND_LEAF;
}

char *layout_print(const struct layout *layout, unsigned int level, u64 word, char *text,
		   size_t bytes)
{
	const struct layout_rows *rows = &layout_rows[layout->config.format];
	struct text out = {text, bytes};
	struct entry entry;
	unsigned int kind, i;

	layout_decode(layout, level, word, &entry);
	if (entry.kind == ENTRY_EMPTY) {
		add(&out, word ? "empty (0x%llx)" : "empty", word);
		return text;
	}
	kind = kind_of(layout, level, &entry);
	for (i = 0; i < rows->fields_nr; i++)
		if (layout_field_in(&rows->field[i], level, kind))
			add_field(&out, &rows->field[i], word, &entry);
	if (word & layout->encrypt)
		add(&out, "C ");
	if (entry.kind == ENTRY_LEAF && entry.size_lg2 != layout->level[level].item_lg2)
		add(&out, "size=0x%llx ", 1ull << entry.size_lg2);
	if (entry.reserved)
		add(&out, "reserved=0x%llx ", entry.reserved);
	if (entry.kind == ENTRY_BAD)
		add(&out, "bad: %s ", entry.why);
	if (out.at > text && out.at[-1] == ' ')
		out.at[-1] = 0;
	return text;
}

const char *layout_bit_name(const struct layout *layout, unsigned int level, bool leaf, u64 bits)
{
	const struct layout_rows *rows = &layout_rows[layout->config.format];
	unsigned int lowest = bits_lowest(bits);
	unsigned int i;

	if (lowest < 64 && layout->encrypt >> lowest & 1)
		return encrypt_label;
	for (i = 0; i < rows->fields_nr; i++) {
		const struct layout_field *field = &rows->field[i];

		if (layout_field_in(field, level, leaf ? KIND_LEAF : KIND_TABLE) &&
		    field->low <= lowest && lowest <= field->high)
			return field->label;
	}
	return "no such field";
}
