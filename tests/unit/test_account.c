/* A clean verdict needs a closed account: ledgers in which something rises that no block explains. */
#include <string.h>

#include "base/arena.h"
#include "doctor/diagnosis.h"
#include "doctor/judge.h"
#include "doctor/rules.h"
#include "fake.h"
#include "test.h"

#define PIECES 80
#define PIECE 204800u

/* A piece of shared memory each step; `left`: it was unmapped, and its name is there. */
static struct fake *shared(bool left)
{
    static struct map_record maps[PIECES];
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < PIECES; i++) {
        fake_step(fake, 0);
        fake->steps[i].shared_bytes = (i + 1) * (uint64_t)PIECE;
        maps[i] = (struct map_record){.start = (left ? MAP_LEFT : 1 << 20) + i * (uint64_t)PIECE,
                                      .length = PIECE,
                                      .birth = i + 1,
                                      .site = 1,
                                      .kind = SITE_SHARED};
    }
    fake->site.kind = SITE_SHARED;
    fake->site.class_index = ledger_class(PIECE);
    fake->model.maps = maps;
    fake->model.map_count = PIECES;
    return fake;
}

TEST(shared_memory_that_is_left_under_a_name_is_held_by_it)
{
    const struct process_report left = judged(shared(true), NULL);

    CHECK_EQ(left.verdict, KIND_retained);
    CHECK_CONTAINS(left.findings[0].held_by, "name");
    CHECK_CONTAINS(left.findings[0].evidence[1], "until its name is removed");
    CHECK_CONTAINS(left.findings[0].remedy.text, "Remove the name");
}

TEST(shared_memory_that_is_mapped_is_to_be_unmapped)
{
    const struct process_report mapped = judged(shared(false), NULL);

    CHECK_EQ(mapped.verdict, KIND_retained);
    CHECK_CONTAINS(mapped.findings[0].remedy.text, "Unmap");
}
