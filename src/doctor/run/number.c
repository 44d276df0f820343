/* number.c - see number.h. */
#include "doctor/run/number.h"

/* The rounds in which processes are visited. A note never comes before a finding that counts. */
enum round { SPEAKER, OTHERS, SPEAKERS_NOTES, OTHERS_NOTES, PASSED_OVER, ROUNDS };

struct numbering {
    const struct diagnosis *diagnosis;
    unsigned last; /* the highest number given so far */
};

static bool same_finding(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->note == b->note && a->allocated_count > 0 &&
           b->allocated_count > 0 && place_same(a->allocated_at, b->allocated_at) &&
           place_same(a->stored_at, b->stored_at);
}

static bool has_turn(const struct process_report *report, const struct finding *finding, enum round round)
{
    if (finding->number > 0)
        return false;
    if (report->passed_over)
        return round == PASSED_OVER;
    return round == (report->speaks ? (finding->note ? SPEAKERS_NOTES : SPEAKER)
                                          : (finding->note ? OTHERS_NOTES : OTHERS));
}

/* The findings are in the diagnosis's arena, so they are ours to change. */
static void set_number(const struct finding *finding, unsigned number)
{
    ((struct finding *)(uintptr_t)finding)->number = number;
}

/* Gives it the next number, and the same to those of other processes that are the same. */
static void give(struct numbering *n, const struct process_report *report, const struct finding *finding)
{
    const struct diagnosis *d = n->diagnosis;

    set_number(finding, ++n->last);
    for (size_t i = 0; i < d->process_count; i++)
        for (size_t k = 0; &d->processes[i] != report && k < d->processes[i].finding_count; k++) {
            const struct finding *other = &d->processes[i].findings[k];

            if (other->number == 0 && same_finding(finding, other))
                set_number(other, n->last);
        }
}

void number_findings(struct diagnosis *diagnosis)
{
    struct numbering n = {.diagnosis = diagnosis};

    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < diagnosis->process_count; i++)
            for (size_t k = 0; k < diagnosis->processes[i].finding_count; k++)
                if (has_turn(&diagnosis->processes[i], &diagnosis->processes[i].findings[k], round))
                    give(&n, &diagnosis->processes[i], &diagnosis->processes[i].findings[k]);
}

bool number_find(const struct diagnosis *diagnosis, unsigned number, struct numbered *out)
{
    *out = (struct numbered){.finding = NULL};
    for (size_t i = 0; i < diagnosis->process_count; i++) {
        const struct process_report *report = &diagnosis->processes[i];
        bool has = false;

        for (size_t k = 0; k < report->finding_count && !has; k++) {
            has = report->findings[k].number == number;
            if (has && (!out->finding || report->speaks)) {
                out->report = report;
                out->finding = &report->findings[k];
            }
        }
        out->owners += has;
    }
    return out->finding != NULL;
}
