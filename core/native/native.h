/*
 * The embedded walker: a second page-table implementation beside Linux's, written from the hardware
 * manuals and docs/contract.md. It is what is fuzzed where no kernel tree is at hand, and the other side
 * of a differential run.
 */
#ifndef CORE_NATIVE_NATIVE_H
#define CORE_NATIVE_NATIVE_H

#include "core/walker.h"

/* One walker, named `native`, for every format of core/native/formats.def. */
extern const struct walker_list native_walkers;

#endif
