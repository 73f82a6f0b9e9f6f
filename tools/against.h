/* --against: the other walker of differential mode, for the commands that have it. */
#ifndef TOOLS_AGAINST_H
#define TOOLS_AGAINST_H

#include <jansson.h>

#include "fuzzers/differ.h"
#include "tools/command.h"

#define AGAINST_OPTION                                                                                  \
	{                                                                                               \
		"against", 'a', "WALKER", 0,                                                            \
			"run each program on this walker too, as --walker names them, and report what " \
			"differs",                                                                      \
			2                                                                               \
	}

/*
 * against_open() - @executor compares with the walker that @which names from now on
 * @origin: out: where that comes from. Exits with one line when it can't be had.
 */
void against_open(struct executor *executor, const struct walker_options *options,
		  const char *which, const char **origin);

/* against_close() - no more, if it did */
void against_close(struct executor *executor);

/* against_print() - how many programs were compared to the end, and what ended the others */
void against_print(const struct differ *differ);

/* against_json() - the same as an object: sentence: number */
json_t *against_json(const struct differ *differ);

#endif
