/* model_parts.h - what the files of the model share; no other file includes it.
 *
 * Each load_ function reads one kind of record into the model and returns ERR_NOMEM or 0: bad
 * records are left out and are not an error. Records that refer to others are read before the
 * others, so that in a growing ledger no id refers to a record that came too late.
 */
#ifndef TARE_LEDGER_MODEL_PARTS_H
#define TARE_LEDGER_MODEL_PARTS_H

#include "base/mem.h"
#include "ledger/model.h"

/* model_tables.c */
int load_blocks(struct model *model, const struct reader *reader, struct why *why);
int load_maps(struct model *model, const struct reader *reader, struct why *why);
int load_sites(struct model *model, const struct reader *reader, struct why *why);
int load_frames(struct model *model, const struct reader *reader, struct why *why);
int resolve_tables(struct model *model, struct why *why); /* every id in range, every stack ends */

/* model_history.c */
int load_steps(struct model *model, const struct reader *reader, struct why *why);
int load_samples(struct model *model, const struct reader *reader, struct why *why);
int load_deaths(struct model *model, const struct reader *reader, struct why *why);
void load_totals(struct model *model, const struct reader *reader);
void load_peak(struct model *model, const struct reader *reader);

/* model_logs.c */
int load_texts(struct model *model, const struct reader *reader, struct why *why);
int load_modules(struct model *model, const struct reader *reader, struct why *why);
int load_scripts(struct model *model, const struct reader *reader, struct why *why);
int load_code(struct model *model, const struct reader *reader, struct why *why);
int load_scopes(struct model *model, const struct reader *reader, struct why *why);
int load_notes(struct model *model, const struct reader *reader, struct why *why);
int load_interventions(struct model *model, const struct reader *reader, struct why *why);
int load_residents(struct model *model, const struct reader *reader, struct why *why);
int load_lines(struct model *model, const struct reader *reader, struct why *why);
int load_holders(struct model *model, const struct reader *reader, struct why *why);
int load_owners(struct model *model, const struct reader *reader, struct why *why);
int load_arrays(struct model *model, const struct reader *reader, struct why *why);
int load_processes(struct model *model, const struct reader *reader, struct why *why);
int load_limits(struct model *model, const struct reader *reader, struct why *why);
int load_phases(struct model *model, const struct reader *reader, struct why *why);
int load_folded(struct model *model, const struct reader *reader, struct why *why);
int load_accounts(struct model *model, const struct reader *reader, struct why *why);
int load_sources(struct model *model, const struct reader *reader, struct why *why);
int load_packages(struct model *model, const struct reader *reader, struct why *why);
void load_lost(struct model *model, const struct reader *reader);
void load_costs(struct model *model, const struct reader *reader);
void load_effort(struct model *model, const struct reader *reader);
const char *model_text(const struct model *model, uint32_t id, const char *otherwise);

/* model_frameworks.c */
int load_traces(struct model *model, const struct reader *reader, struct why *why);
int load_registries(struct model *model, const struct reader *reader, struct why *why);
int load_pools(struct model *model, const struct reader *reader, struct why *why);
int load_devices(struct model *model, const struct reader *reader, struct why *why);

/* ERR_NOMEM, with words. */
int no_memory(uint64_t count, const char *what, struct why *why);

/* Makes `pointer` an array of `count` zeroed records; 0 or ERR_NOMEM. */
#define TAKE_ARRAY(pointer, count, what, why)                                                      \
    (((pointer) = mem_zalloc_array((size_t)(count), sizeof(*(pointer))))                           \
         ? 0                                                                                       \
         : no_memory(count, what, why))

#endif /* TARE_LEDGER_MODEL_PARTS_H */
