/* parts.c - see parts.h. */
#include "probe/entry/parts.h"

static void nothing(void)
{
}

/* The parts in their order: see parts.def. */
#define NONE nothing
#define PART(name, setup, forked)                                                                  \
    void setup(void);                                                                              \
    void forked(void);
#define NEEDED(name, setup, forked)                                                                \
    bool setup(void);                                                                              \
    void forked(void);
#include "probe/entry/parts.def"
#undef PART
#undef NEEDED

bool parts_set_up(void)
{
#define PART(name, setup, forked) setup();
#define NEEDED(name, setup, forked)                                                                \
    if (!setup())                                                                                  \
        return false;
#include "probe/entry/parts.def"
#undef PART
#undef NEEDED
    return true;
}

void parts_begin_again(void)
{
#define PART(name, setup, forked) forked();
#define NEEDED(name, setup, forked) forked();
#include "probe/entry/parts.def"
#undef PART
#undef NEEDED
}
