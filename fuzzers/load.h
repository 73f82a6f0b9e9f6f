/*
 * Finding walkers: those that are linked in, and those of shared objects.
 */
#ifndef FUZZERS_LOAD_H
#define FUZZERS_LOAD_H

#include "core/walker.h"

/*
 * load_walkers() - the walkers that the shared object at @path exports
 * @error: room for @error_bytes; on failure one line without a newline
 * Returns NULL on failure. The object stays loaded for the life of the process.
 */
const struct walker_list *load_walkers(const char *path, char *error, size_t error_bytes);

/* load_find() - the walker called @name; an empty name takes the first. NULL when there is none. */
const struct walker *load_find(const struct walker_list *list, const char *name);

#endif
