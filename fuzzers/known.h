/*
 * Lists of known findings, one for each tree: corpus/known/NAME.known. A line is
 *     SIGNATURE | one-line reason | link or reproducer
 * where a part of the signature may be `*`. A `~` before the signature makes the entry count for programs
 * only whose caller breaks its own part of the contract: the same from a caller that keeps the rules is
 * news. Blank lines and lines that start with # are comments.
 */
#ifndef FUZZERS_KNOWN_H
#define FUZZERS_KNOWN_H

#include "core/base/types.h"

#define KNOWN_MAX 256

struct known {
	u32 nr;
	struct {
		bool breaking; /* `~` */
		char signature[128];
		char reason[256];
	} entry[KNOWN_MAX];
};

/*
 * known_read() - adds the entries of the file at @path
 * Returns 0, or -errno with one line in @error.
 */
int known_read(struct known *known, const char *path, char *error, size_t error_bytes);

/* known_find() - why @signature is known, or NULL; @legal: the caller kept the rules */
const char *known_find(const struct known *known, const char *signature, bool legal);

#endif
