/* owners.h - who holds the blocks of a site, in a language that knows its objects: the path from a
 * root to the block, its words, and what is to be read off it.
 *
 * The steps come from the program's own adapter by way of the ledger; they may be missing, cut or
 * forged, and then as much is said as they give.
 */
#ifndef TARE_DOCTOR_OWNERS_H
#define TARE_DOCTOR_OWNERS_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/diagnosis.h"
#include "ledger/model.h"

#define OWNERS_STEPS_MAX 64      /* of one path; the rest is left out */
#define OWNERS_NONE      SIZE_MAX /* no container on the path grows */

struct arena; /* base/arena.h */

const char *owner_kind_name(uint32_t kind); /* "module", … as in the JSON; "": not known */

/* The path of a record of model->holders, in the arena. 0: there is none. */
size_t owners_path(const struct model *model, const struct holder_record *record,
                   struct arena *arena, const struct holder_step **out);
/* The objects that hold each other, of which the last is the first again: from it on. */
size_t owners_cycle(const struct model *model, const struct holder_record *record,
                    struct arena *arena, const struct holder_step **out);

/* The container that grows: the outermost with room for half of `events` things stored, for what
 * lies deeper is made anew with each of them; if none has so many, the longest. */
size_t owners_growing(const struct holder_step *path, size_t count, uint64_t events);

/* "__main__.history[…].grad_fn → MeanBackward0 → … → AddmmBackward0". */
const char *owners_text(const struct holder_step *path, size_t count, size_t growing,
                        struct arena *arena);

/* Does it begin at a module, a function or a thread? What only the interpreter leads to may be garbage. */
bool owners_rooted(const struct holder_step *path, size_t count);

/* Is this step a function whose results are kept by a decorator of the standard library? */
bool owners_is_cache(const struct holder_step *step);

/* Has the container that grows a declared bound that it has not reached? */
bool owners_bounded(const struct holder_step *path, size_t count, size_t growing);

/* … or one that it has reached: then it is not what makes memory grow. */
bool owners_full(const struct holder_step *path, size_t count, size_t growing);

/* Is it a keyed store without a bound that is no program's own: a caching decorator, or a mapping
 * kept by a library? */
bool owners_unbounded_cache(const struct holder_step *path, size_t count, size_t growing);

#endif /* TARE_DOCTOR_OWNERS_H */
