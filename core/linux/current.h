/*
 * The machine that the calling thread works for. Kernel functions pass no such thing, so the glue
 * puts it here at every entry and everything that stands in for the kernel takes it from here.
 * This is the only state outside structs in core/linux.
 */
#ifndef CORE_LINUX_CURRENT_H
#define CORE_LINUX_CURRENT_H

#include "core/host/host.h"

/**
 * struct current - what an entry of the glue sets for the kernel's code under it
 * @host: the machine
 * @encrypt_mask: the memory-encryption bit, or 0; what the kernel calls sme_me_mask
 * @scratch: memory for kzalloc() and the like, given back as a whole when the entry returns
 * @scratch_left: bytes of it that are still free
 */
struct current {
	struct host *host;
	u64 encrypt_mask;
	u8 *scratch;
	u64 scratch_left;
};

extern __thread struct current current_entry __attribute__((visibility("hidden")));

#endif
