/* waiting.c - see waiting.h. */
#include "doctor/waiting.h"

#include "doctor/collected.h"

#define SHARE_LEAST 0.01 /* of all bytes: a smaller site is not asked about */

static double bytes_of(const struct life *life, const struct cohort *cohort)
{
    return !life->death && life->birth >= cohort->first && life->birth <= cohort->last
               ? life->units * (double)life->size
               : 0;
}

/* The bytes of the site that begins at `from`; `next` gets where the next one does. */
static double bytes_of_site(const struct lives *lives, const struct cohort *cohort, size_t from,
                            size_t *next)
{
    const uint32_t site = lives->items[from].site;
    double bytes = 0;
    size_t i = from;

    for (; i < lives->count && lives->items[i].site == site; i++)
        bytes += bytes_of(&lives->items[i], cohort);
    *next = i;
    return bytes;
}

double waiting_share(struct visit *visit, const struct cohort *cohort)
{
    const struct lives *lives = visit_lives(visit, cohort->column);
    double all = 0, waits = 0;

    if (!cohort->pooled)
        return 0;
    for (size_t i = 0; i < lives->count; i++)
        all += bytes_of(&lives->items[i], cohort);
    for (size_t i = 0, next; i < lives->count; i = next) {
        const double bytes = bytes_of_site(lives, cohort, i, &next);
        struct collected collected;

        if (bytes < SHARE_LEAST * all || bytes <= 0)
            continue;
        collected_of(&collected, visit->model, lives->items[i].site);
        waits += collected_lag(&collected) ? bytes : 0;
    }
    return all > 0 ? waits / all : 0;
}
