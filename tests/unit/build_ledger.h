/* build_ledger.h - ledgers for tests, made with the real writer. */
#ifndef TARE_TESTS_UNIT_BUILD_LEDGER_H
#define TARE_TESTS_UNIT_BUILD_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"

/* A fresh ledger NAME in the test's directory; the test fails if it cannot be made. */
void build_ledger(struct ledger *ledger, const char *name, enum ledger_role role);

/* A small process: 2 modules, 4 frames, 2 sites, 3 live blocks, 40 steps, 2 deaths, a mapping, a
 * scope, a note, an intervention, totals and a peak. */
void build_small_process(struct ledger *ledger, const char *name);

/* A small run: samples, two processes, a limit, an account. */
void build_small_run(struct ledger *ledger, const char *name);

/* A process whose every table is full: the largest legal ledger. */
void build_full_process(struct ledger *ledger, const char *name);

/* A step with this ordinal and this many live bytes. */
struct step_record build_step(uint64_t ordinal, uint64_t live);

/* The whole file of a ledger, as a reader has it; stays until the test ends. */
const void *build_view(const struct ledger *ledger);

/* The bytes of a file, on the heap; the caller frees them with mem_free. */
uint8_t *build_read(const char *path, size_t *size);

#endif /* TARE_TESTS_UNIT_BUILD_LEDGER_H */
