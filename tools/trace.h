/*
 * The story of one program: each operation with its answer and what it cost, then the verdict.
 */
#ifndef TOOLS_TRACE_H
#define TOOLS_TRACE_H

#include "fuzzers/differ.h"

/* trace_step() - one line for one call; with @verbose also each event of the machine below it */
void trace_step(const struct executor *executor, const struct step *step, bool verbose);

/* trace_other() - the same for the other walker of a comparison */
void trace_other(const struct differ_record *record);

/* trace_verdict() - the violation: rule, got, want, sentence and source */
void trace_verdict(const struct verdict *verdict, const struct step *step, bool colour);

#endif
