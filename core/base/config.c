/* The words of the shared .def lists, as tables. */
#include "core/base/config.h"

#include <stdio.h>
#include <string.h>

static const char *const format_words[] = {
#define FORMAT(name, description) #name,
#include "core/base/format.def"
#undef FORMAT
};

static const char *const format_abouts[] = {
#define FORMAT(name, description) description,
#include "core/base/format.def"
#undef FORMAT
};

static const char *const feature_words[] = {
#define FEATURE(id, word, description) word,
#include "core/base/feature.def"
#undef FEATURE
};

static const char *const feature_abouts[] = {
#define FEATURE(id, word, description) description,
#include "core/base/feature.def"
#undef FEATURE
};

static const char *const prot_words[] = {
#define PROT(id, word, description) word,
#include "core/base/prot.def"
#undef PROT
};

const char *format_word(unsigned int format)
{
	return format < ARRAY_NR(format_words) ? format_words[format] : NULL;
}

const char *format_about(unsigned int format)
{
	return format < ARRAY_NR(format_abouts) ? format_abouts[format] : NULL;
}

const char *feature_word(unsigned int bit)
{
	return bit < ARRAY_NR(feature_words) ? feature_words[bit] : NULL;
}

const char *feature_about(unsigned int bit)
{
	return bit < ARRAY_NR(feature_abouts) ? feature_abouts[bit] : NULL;
}

const char *prot_word(unsigned int bit)
{
	return bit < ARRAY_NR(prot_words) ? prot_words[bit] : NULL;
}

u32 format_list(const char *words, char *unknown)
{
	u32 formats = 0;
	size_t length;

	for (; *words; words += length + (words[length] == ',')) {
		u32 format = 0;

		length = strcspn(words, ",");
		snprintf(unknown, 64, "%.*s", (int)length, words);
		while (format < FORMAT_NR && strcmp(format_word(format), unknown))
			format++;
		if (format == FORMAT_NR)
			return 0;
		formats |= 1u << format;
	}
	return formats;
}
