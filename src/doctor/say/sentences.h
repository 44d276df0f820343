/* sentences.h - one sentence for each fact of facts/facts.def. Inside say/ only.
 *
 * Every number in a sentence is a field of the finding or of the fact. A fact without a sentence does not
 * link.
 */
#ifndef TARE_DOCTOR_SENTENCES_H
#define TARE_DOCTOR_SENTENCES_H

#include "doctor/measure/visit.h"

/* `out`: the finding that the fact is of; NULL: it is one about the process. The sentence is in the visit's
 * arena, or constant. */
typedef const char *sentence_fn(const struct visit *visit, const struct finding *out,
                                const struct fact *fact);

/* Begins the function that makes one of them. */
#define SENTENCE(name)                                                                             \
    const char *sentence_##name(const struct visit *visit, const struct finding *out,              \
                                const struct fact *fact)

#define FACT(name, numbers) sentence_fn sentence_##name;
#include "doctor/facts/facts.def"
#undef FACT

/* The sentence of any fact; NULL: FACT_none. */
const char *sentence_of(const struct visit *visit, const struct finding *out, const struct fact *fact);

/* ---- pieces of sentences ---- */

const char *say_size(const struct visit *visit, double bytes);
const char *say_count(const struct visit *visit, uint64_t count);
const char *say_ticks(const struct visit *visit, uint64_t count); /* "1 step", "300 batches" */
const char *say_tick_name(const struct visit *visit);             /* "step" */
/* "steps"; slices when the clock is time */
const char *say_ticks_name(const struct visit *visit);
const char *say_rate(const struct visit *visit, double per_tick); /* "1.0 KB per step" */

/* The same of a finding, whose rate is per unit of the clock already: "10.0 KB per step on device 0" if its
 * memory is there. */
const char *say_rate_of(const struct visit *visit, const struct finding *out);

/* The process's answer to "Does it leak?". */
const char *say_answer(const struct visit *visit, const struct process_report *report);

#endif /* TARE_DOCTOR_SENTENCES_H */
