/* reach.c - see reach.h. */
#include "doctor/reach.h"

/* Ledgers of version 1 have no section for the search's answer. */
enum reach reach_of(const struct model *model, uint32_t site, const char **holder)
{
    (void)model, (void)site;
    *holder = NULL;
    return REACH_UNKNOWN;
}
