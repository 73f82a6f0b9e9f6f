/*
 * The table of findings: rows of one or more processes merged by rule, operation and reason.
 */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <jansson.h>

#include "core/base/types.h"

/*
 * report_merge() - one object as collect_text() makes it, from those of several processes
 * @stats: array of objects as collect_text() makes them. Returns a new reference, or NULL.
 */
json_t *report_merge(json_t *stats);

/* report_print() - the merged findings as a table on standard output. Returns how many are new. */
u32 report_print(const json_t *merged, const char *folder);

/* report_write() - the merged findings as JSON to @path, whole or not at all; exits on failure */
void report_write(const json_t *merged, const char *path);

#endif
