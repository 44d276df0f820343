/* owners.h - the path of objects from a root to the blocks of a site, for a language that knows its
 * objects: the path as text, and the conclusions from it.
 *
 * The steps come from the program's own adapter through the ledger. They may be missing, cut or
 * forged; then the result has only the steps that can be read.
 */
#ifndef TARE_DOCTOR_OWNERS_H
#define TARE_DOCTOR_OWNERS_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"

#define OWNERS_STEPS_MAX 64      /* of one path; the rest is left out */
#define OWNERS_NONE      SIZE_MAX /* no container on the path grows */

struct arena; /* base/arena.h */

const char *owner_kind_name(uint32_t kind); /* for example "module", as in the JSON; "": not known */

/* The path of a record of model->holders, in the arena. 0: there is none. */
size_t owners_path(const struct model *model, const struct holder_record *record,
                   struct arena *arena, const struct holder_step **out);
/* The objects that hold each other in a cycle, beginning where the cycle begins. */
size_t owners_cycle(const struct model *model, const struct holder_record *record,
                    struct arena *arena, const struct holder_step **out);

/* The container that grows: the outermost one with at least half of `events` entries. Containers
 * inside it are made again for each event. If none has so many entries, the longest one. */
size_t owners_growing(const struct holder_step *path, size_t count, uint64_t events);

/* The path as text: "__main__.history[…].grad_fn → MeanBackward0 → … → AddmmBackward0". */
const char *owners_text(const struct holder_step *path, size_t count, size_t growing,
                        struct arena *arena);

/* True if the path begins at a module, a function or a thread. Blocks that only the interpreter
 * leads to may be garbage. */
bool owners_rooted(const struct holder_step *path, size_t count);

/* True if the path is rooted and has only references of the language up to the container that
 * grows (SIZE_MAX: the whole path). Native memory, also inside a capsule, is searched word by
 * word. A word that looks like a pointer may not be one, so such a path does not outweigh a
 * collection that freed the blocks. */
bool owners_certain(const struct holder_step *path, size_t count, size_t growing);

/* True if this step is a function whose results a decorator of the standard library caches. */
bool owners_is_cache(const struct holder_step *step);

/* True if the container that grows declares a limit and has not reached it. */
bool owners_bounded(const struct holder_step *path, size_t count, size_t growing);

/* True if the container that grows has reached its declared limit. Then it does not make memory
 * grow. */
bool owners_full(const struct holder_step *path, size_t count, size_t growing);

/* True if the container is a keyed store without a limit that the program does not own: a caching
 * decorator, or a mapping that a library keeps. */
bool owners_unbounded_cache(const struct holder_step *path, size_t count, size_t growing);

#endif /* TARE_DOCTOR_OWNERS_H */
