/* record_sources.h - record the source files of the program while they are unchanged.
 *
 * `tare run` does this after the program has ended, in its own process. A report shows lines of these
 * files only (source.h).
 */
#ifndef TARE_DOCTOR_RECORD_SOURCES_H
#define TARE_DOCTOR_RECORD_SOURCES_H

#include "base/err.h"

struct ledger; /* ledger/writer.h */

/* Records every file that a stack, a holder or a measured function in the run's ledgers names, the sources
 * that source maps name for it, and the files that Python files import. `ledger`: the run's own. */
int record_sources(const char *directory, struct ledger *ledger, struct why *why);

#endif /* TARE_DOCTOR_RECORD_SOURCES_H */
