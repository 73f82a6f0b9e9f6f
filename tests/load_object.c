/*
 * Shared objects for tests/test_load.c, made from this file by one definition each: OBJECT_EMPTY,
 * OBJECT_WRONG_ABI, OBJECT_NO_WALKER, OBJECT_TWO.
 */
#include "core/walker.h"

#ifdef OBJECT_EMPTY
int walkers_of_another_name;
#else

#if defined(OBJECT_TWO) || defined(OBJECT_WRONG_ABI)
static const struct walker one = {.name = "one"};
static const struct walker two = {.name = "two"};
static const struct walker *const list[] = {&one, &two};
#else
static const struct walker *const list[] = {NULL};
#endif

#ifdef OBJECT_WRONG_ABI
#define ABI (WALKER_ABI + 1)
#else
#define ABI WALKER_ABI
#endif

#ifdef OBJECT_NO_WALKER
#define NR 0
#else
#define NR 2
#endif

const struct walker_list walkers = {ABI, NR, list, "a test"};
#endif
