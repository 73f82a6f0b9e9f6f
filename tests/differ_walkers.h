/*
 * Walkers for test_differ.c beside the toy ones: one that is right and makes every choice that the
 * contract leaves in another way than the toy, and some that make mistakes which no toy makes.
 */
#ifndef TESTS_DIFFER_WALKERS_H
#define TESTS_DIFFER_WALKERS_H

#include "core/walker.h"

/*
 * differ_other_choices - refuses with another errno, maps nothing where a collision is ahead; unmaps and
 *	queries the whole of the last page, where the toy refuses parts
 * differ_tidies - a map that fails has removed the empty table in which it begins
 * differ_syncs_twice - as it says
 * differ_middle_read_only - the middle page of a map of three is read-only
 */
extern struct walker differ_other_choices, differ_tidies, differ_syncs_twice,
	differ_middle_read_only;

/* differ_walkers_init() - before the first use: they are made from the right toy walker */
void differ_walkers_init(void);

#endif
