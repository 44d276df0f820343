/* headroom.c - see headroom.h. */
#include "probe/copy/headroom.h"

#include <stddef.h>
#include <string.h>

#include "probe/record/step.h"

#define LOOK_NS 20000000u /* reading the resident size costs about 8 µs */

static struct {
    uint64_t seen;     /* bytes left, as the doctor last read them */
    uint64_t resident; /* what the program had then at least */
    uint64_t latest;   /* what it had at our last check */
    uint64_t time;     /* the time of our last check */
} known;

static uint64_t read_bell(const struct bell *bell)
{
    return bell ? __atomic_load_n(&bell->headroom, __ATOMIC_RELAXED) : 0;
}

/* The doctor's reading is older than our sight of it, and the program may have taken memory between the
 * two. So the program is counted as it was one look earlier; before the first look, as nothing. */
void headroom_look(const struct bell *bell, uint64_t now)
{
    const uint64_t left = read_bell(bell);

    if (left != known.seen) {
        known.seen = left;
        known.resident = known.latest;
    }
    if (now - known.time < LOOK_NS)
        return;
    known.latest = step_resident();
    known.time = now;
}

uint64_t headroom_now(const struct bell *bell)
{
    const uint64_t left = read_bell(bell);
    const uint64_t resident = step_resident();
    const uint64_t rose = resident > known.resident ? resident - known.resident : 0;

    if (left == 0 || left != known.seen)
        return left;
    return left > rose ? left - rose : 1;
}

void headroom_forked(void)
{
    memset(&known, 0, sizeof(known));
}
