/* holder_records.h - the ledger's answers to "who holds these blocks?".
 *
 * held/reach.h decides what they mean for a finding. `site` is an index into model->sites, `holder`
 * into model->holders.
 */
#ifndef TARE_DOCTOR_HOLDER_RECORDS_H
#define TARE_DOCTOR_HOLDER_RECORDS_H

#include "ledger/model.h"

/* True if this answer has a path of objects. */
bool holder_has_owner(const struct model *model, size_t holder);

/* True if the answer is about this site, or about another size class of its stack, which has the
 * same holder. */
bool holder_is_same(const struct model *model, const struct holder_record *record, uint32_t site);

/* True if the answer is about this site and its search was complete. */
bool holder_is_of(const struct model *model, const struct holder_record *record, uint32_t site);

/* The path leads through a number that is the address of a block. Handles of libraries are such numbers, but
 * so is what a table of weak references remembers, and that holds nothing. */
bool holder_through_number(const struct model *model, size_t holder);

/* True if variables of the program held most of the blocks of this answer. */
bool holder_was_held(const struct model *model, size_t holder, uint32_t site);

/* A search before this ordinal found that a module, a function or a thread held most of the
 * site's blocks. So they were not garbage then. */
bool holder_held_before(const struct model *model, uint32_t site, uint64_t ordinal);

#endif /* TARE_DOCTOR_HOLDER_RECORDS_H */
