/*
 * The configuration of one page table, as a driver asks for it, and the names that go with it. Shared
 * by walkers (which open it), the oracle (which knows what it means) and programs (which choose it).
 */
#ifndef CORE_BASE_CONFIG_H
#define CORE_BASE_CONFIG_H

#include "core/base/types.h"

enum format {
#define FORMAT(name, description) FORMAT_##name,
#include "core/base/format.def"
#undef FORMAT
	FORMAT_NR
};

enum {
#define FEATURE(id, word, description) FEATURE_BIT_##id,
#include "core/base/feature.def"
#undef FEATURE
	FEATURE_NR
};

/* struct config's features: a mask of these */
enum {
#define FEATURE(id, word, description) FEATURE_##id = 1u << FEATURE_BIT_##id,
#include "core/base/feature.def"
#undef FEATURE
};

enum {
#define PROT(id, word, description) MAP_BIT_##id,
#include "core/base/prot.def"
#undef PROT
	MAP_BIT_NR
};

/* The prot argument of a map: a mask of these. Named MAP_* since <sys/mman.h> owns PROT_*. */
enum {
#define PROT(id, word, description) MAP_PROT_##id = 1u << MAP_BIT_##id,
#include "core/base/prot.def"
#undef PROT
};

/**
 * struct config - what is asked of a page table when it is opened
 * @format: hardware format
 * @vasz_lg2: width of an iova in bits
 * @oasz_lg2: width of an oa in bits
 * @top_level: level of the top table; for a growing top the one to start with. 0 is the level of
 *	the smallest pages.
 * @encrypt_bit: position of the memory-encryption bit, used with FEATURE_ENCRYPT_TABLES only
 * @features: mask of FEATURE_*
 * @pgsizes: page sizes that the caller leaves of those advertised, one bit for each size in bytes;
 *	0, or nothing in common with what is advertised, means all of them
 */
struct config {
	enum format format;
	u8 vasz_lg2;
	u8 oasz_lg2;
	u8 top_level;
	u8 encrypt_bit;
	u32 features;
	u64 pgsizes;
};

/* The words of the .def lists above, by code. NULL is returned for a code beyond the list. */
const char *format_word(unsigned int format);
const char *format_about(unsigned int format);
const char *feature_word(unsigned int bit);
const char *feature_about(unsigned int bit);
const char *prot_word(unsigned int bit);

/*
 * format_list() - the mask of 1 << enum format that @words, a comma-separated list, names
 * @unknown: room for 64 bytes; the word that is no format. Returns 0 for it, or for an empty list.
 */
u32 format_list(const char *words, char *unknown);

/* config_pgsizes() - what is left of the sizes that a table @advertised */
static inline u64 config_pgsizes(const struct config *config, u64 advertised)
{
	u64 left = config->pgsizes & advertised;

	return left ? left : advertised;
}

#endif
