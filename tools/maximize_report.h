/* What `ptfuzz run --maximize` shows at its end. */
#ifndef TOOLS_MAXIMIZE_REPORT_H
#define TOOLS_MAXIMIZE_REPORT_H

#include "fuzzers/maximize.h"

/*
 * maximize_report() - prints the ten costliest operations; with @folder, which is made when missing,
 * writes their programs as worst-MEASURE-OP-FORMAT.pt
 */
void maximize_report(const struct maximize *maximize, const char *folder, const char *origin);

#endif
