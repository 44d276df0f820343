/* step.c - see step.h. Also inside the program: no heap, no loop longer than a record. */
#include "ledger/step.h"

#include <stddef.h>
#include <string.h>

/* Numbers in clocks.def and gauges.def may be up to LEDGER_CLOCKS and LEDGER_GAUGES. What has a name so far
 * fits all at once; when it does not any more, LEDGER_VALUES must grow. */
enum { NAMED = 0
#define CLOCK(number, name, ...) +1
#include "ledger/clocks.def"
#undef CLOCK
#define GAUGE(number, name, ...) +1
#include "ledger/gauges.def"
#undef GAUGE
};

_Static_assert(NAMED <= LEDGER_VALUES, "every clock and gauge has room in a step");
_Static_assert(LEDGER_CLOCKS <= 32 && LEDGER_GAUGES <= 32, "one bit each");

#define SAME offsetof(struct packed_step, clocks) /* bytes that begin both */

#define CHECK_SAME(field)                                                                          \
    _Static_assert(offsetof(struct packed_step, field) == offsetof(struct step_record, field),     \
                   #field " is at the same place")
CHECK_SAME(live_bytes);
CHECK_SAME(allocated_bytes);
CHECK_SAME(mapped_bytes);
CHECK_SAME(resident);
CHECK_SAME(ticked);
CHECK_SAME(class_blocks);
_Static_assert(SAME == offsetof(struct step_record, clock), "and nothing else is between");

/* Packs `count` values behind the `used` ones that are there; which of them are not 0. */
static uint32_t pack(struct packed_step *out, unsigned *used, const uint64_t *values, unsigned count)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < count && *used < LEDGER_VALUES; i++)
        if (values[i] != 0) {
            bits |= 1u << i;
            out->values[(*used)++] = values[i];
        }
    return bits;
}

static void unpack(const struct packed_step *packed, unsigned *used, uint32_t bits, uint64_t *values)
{
    for (; bits != 0 && *used < LEDGER_VALUES; bits &= bits - 1)
        values[__builtin_ctz(bits)] = packed->values[(*used)++];
}

void step_pack(struct packed_step *out, const struct step_record *step)
{
    unsigned used = 0;

    memset(out, 0, sizeof(*out));
    memcpy(out, step, SAME);
    out->clocks = pack(out, &used, step->clock, LEDGER_CLOCKS);
    out->gauges = pack(out, &used, step->gauges, LEDGER_GAUGES);
}

void step_unpack(struct step_record *out, const struct packed_step *packed)
{
    unsigned used = 0;

    memset(out, 0, sizeof(*out));
    memcpy(out, packed, SAME);
    unpack(packed, &used, packed->clocks, out->clock);
    unpack(packed, &used, packed->gauges, out->gauges);
}

uint64_t *step_gauge(struct packed_step *packed, enum gauge_id gauge)
{
    const uint32_t bit = 1u << gauge;
    const int before = __builtin_popcount(packed->clocks) + __builtin_popcount(packed->gauges & (bit - 1));

    return (packed->gauges & bit) && before < LEDGER_VALUES ? &packed->values[before] : NULL;
}
