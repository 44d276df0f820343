/* record_sources.h - which source files the program was made of, recorded while they are as they
 * were.
 *
 * `tare run` does this when the program has ended, in its own process. A report shows lines of
 * these files only (source.h).
 */
#ifndef TARE_DOCTOR_RECORD_SOURCES_H
#define TARE_DOCTOR_RECORD_SOURCES_H

#include "base/err.h"

struct ledger; /* ledger/writer.h */

/* Every file that a stack, a holder or a measured function in the run's ledgers names, what source
 * maps say it was made from, and what its Python files import from beside them. `ledger`: the run's
 * own. */
int record_sources(const char *directory, struct ledger *ledger, struct why *why);

#endif /* TARE_DOCTOR_RECORD_SOURCES_H */
