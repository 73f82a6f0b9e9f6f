/*
 * A machine for tests: made before and destroyed after each test of a group, in *state; and what tests
 * do with it that is not the walker's business, such as catching a walker that is left.
 */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include <stdlib.h>
#include <string.h>

#include "core/base/check.h"
#include "core/host/host.h"

#define MACHINE_PAGES 8

/* Machines that most tests need. */
static const struct host_config machine_coherent = {.tables_pa = 0x3f000000, .coherent = true};
static const struct host_config machine_incoherent = {.tables_pa = 0x3f000000};

static inline int machine_setup(void **state)
{
	struct host *host = host_create(MACHINE_PAGES);

	CHECK(host);
	host_reset(host, &machine_incoherent);
	*state = host;
	return 0;
}

static inline int machine_teardown(void **state)
{
	host_destroy(*state);
	return 0;
}

/* machine_make() - resets @host to @config and begins its first operation */
static inline void machine_make(struct host *host, const struct host_config *config)
{
	host_reset(host, config);
	host_begin(host, 1, 0);
}

/* machine_page() - a page of table memory; there must be one */
static inline u64 *machine_page(struct host *host)
{
	void *page = host_alloc(host, HOST_PAGE_BYTES);

	CHECK(page);
	return page;
}

/* machine_slot() - the slot of the page at @page */
static inline u32 machine_slot(const struct host *host, const void *page)
{
	return (u32)(((const u8 *)page - host->cpu) >> HOST_PAGE_LG2);
}

/* machine_last() - the newest event, @back events before it */
static inline const struct host_event *machine_last(const struct host *host, u32 back)
{
	return &host->events[(host->events_nr - 1 - back) % HOST_EVENTS];
}

/* machine_count() - how many events of @kind the record holds */
static inline u32 machine_count(const struct host *host, enum host_event_kind kind)
{
	u64 oldest = host->events_nr > HOST_EVENTS ? host->events_nr - HOST_EVENTS : 0;
	u32 nr = 0;

	for (u64 i = oldest; i < host->events_nr; i++)
		nr += host->events[i % HOST_EVENTS].kind == kind;
	return nr;
}

/* machine_leaves() - whether @call leaves the operation instead of returning */
#define machine_leaves(host, call)                   \
	({                                           \
		sigjmp_buf machine_escape;           \
		volatile bool machine_left = true;   \
                                                     \
		(host)->escape_to = &machine_escape; \
		if (!sigsetjmp(machine_escape, 0)) { \
			(void)(call);                \
			machine_left = false;        \
		}                                    \
		(host)->escape_to = NULL;            \
		machine_left;                        \
	})

#endif
