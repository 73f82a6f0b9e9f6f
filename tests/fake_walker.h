/*
 * A walker that maps nothing, for tests of what is around walkers (shrinking, collecting): each of its
 * violations needs just the operations that are named here.
 *
 *   result/map/F/...            any legal map: refused
 *   lookup/lookup/F/not-mapped  an unmap of an iova with bit 21, then a sync, then a lookup
 *   warn/lookup/F/fake-warning  any lookup when sync-0 and sync-1 came before
 *   wasted-flush/sync/F/...     a sync on a machine that doesn't snoop
 */
#ifndef TESTS_FAKE_WALKER_H
#define TESTS_FAKE_WALKER_H

#include "core/walker.h"

extern const struct walker fake_walker;

#endif
