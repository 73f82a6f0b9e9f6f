/*
 * Traps inside a walker: undefined behaviour that its build turns into an illegal instruction, wild
 * memory accesses, divisions by zero. While a walker runs they leave the operation like any other
 * escape; anywhere else they are a mistake of the harness and keep their default action. A walker that
 * computes without end, and touches no table meanwhile, is left after some seconds of processor time: the only
 * place where time decides anything.
 *
 * A signal handler is told nothing about who runs, so the machine in use is a thread-local of trap.c.
 */
#ifndef FUZZERS_TRAP_H
#define FUZZERS_TRAP_H

#include "core/host/host.h"

#define TRAP_TICK_SECONDS 2 /* of processor time; a walker is left after one to two of these */

/* trap_install() - takes the signals; safe to call again. Returns 0 or -errno. */
int trap_install(void);

/* trap_arm() - a walker runs on @host from here on; NULL: no walker runs */
void trap_arm(struct host *host);

/* trap_word() - what the last trap was, as a reason for a signature: "shift-out-of-bounds", ... */
const char *trap_word(void);

#endif
