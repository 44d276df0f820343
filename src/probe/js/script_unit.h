/* script_unit.h - JavaScript functions, recorded once each and remembered by a hash of their
 * identity. */
#ifndef TARE_PROBE_SCRIPT_UNIT_H
#define TARE_PROBE_SCRIPT_UNIT_H

#include <stdint.h>

#include "ledger/writer.h"

#define SCRIPT_UNIT_SHIFT 30 /* above the id of a function: enum js_frames */

/* The id of a function, with its owner above it; 0: not known. */
uint32_t script_unit_find(uint64_t hash);

/* The same, recorded now. Two threads that meet a function at once make two records of it: that
 * wastes room, but both are right. 0: there is no room. */
uint32_t script_unit_add(struct ledger *ledger, uint64_t hash, int script, const char *name,
                         const char *file);

#endif /* TARE_PROBE_SCRIPT_UNIT_H */
