/* runtimes.h - the runtimes of this folder, and the answers that several of them share. */
#ifndef TARE_DOCTOR_RUNTIMES_TABLE_H
#define TARE_DOCTOR_RUNTIMES_TABLE_H

#include "doctor/measure/runtime.h"

#define RUNTIME(name, when) extern const struct runtime runtime_##name;
#include "doctor/runtime/runtime.def"
#undef RUNTIME

/* A collection that came at the end released most blocks. Or it came before any of these blocks, and what it
 * released per tick is a good part of their growth, so they may be the same garbage. */
bool runtime_unproven(const struct collected *collected, const struct visit *visit,
                      const struct cohort *cohort);

/* Only the program's own end has shown whether the blocks were held. */
bool runtime_only_late(const struct collected *collected);

uint64_t runtime_no_fall(const struct model *model);
void runtime_no_garbage(struct series *series, const struct model *model, struct arena *arena);
bool runtime_never(const struct visit *visit, uint32_t site);
bool runtime_always_stayed(const struct visit *visit, const struct standstill *still);
bool runtime_not_own(const struct finding *finding);
struct fact runtime_not_full(const struct visit *visit, const struct process_report *report);
void runtime_no_notes(struct visit *visit);

#endif /* TARE_DOCTOR_RUNTIMES_TABLE_H */
