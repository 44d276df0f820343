/* diagnosis.c - spellings of verdicts (with exit codes), languages, phases and endings; facts of findings. */
#include "doctor/facts/diagnosis.h"

#include "base/text.h"
#include "ledger/layout.h"

const char *kind_name(enum kind kind)
{
    switch (kind) {
#define KIND(severity, name, spelling, status, says)                                               \
    case KIND_##name:                                                                              \
        return spelling;
#include "doctor/facts/kinds.def"
#undef KIND
    }
    return "unknown";
}

bool finding_leaks(const struct finding *finding)
{
    return kind_status(finding->kind) == 1 || finding->endless;
}

int kind_status(enum kind kind)
{
    switch (kind) {
#define KIND(severity, name, spelling, status, says)                                               \
    case KIND_##name:                                                                              \
        return status;
#include "doctor/facts/kinds.def"
#undef KIND
    }
    return 3;
}

bool place_same(const struct place *a, const struct place *b)
{
    return a && b ? a->line == b->line && text_same(a->file, b->file) && text_same(a->function, b->function)
                  : a == b;
}

bool place_same_line(const struct place *a, const struct place *b)
{
    return a->line > 0 && a->line == b->line && a->file && text_same(a->file, b->file);
}

const char *memory_name(enum memory memory)
{
    return memory == MEMORY_DEVICE ? "device" : "host";
}

const char *language_name(enum language language)
{
    static const char *const names[] = {
#define LANGUAGE(name, spelling) [LANGUAGE_##name] = spelling,
        LANGUAGES(LANGUAGE)
#undef LANGUAGE
    };

    return names[language];
}

const char *phase_kind_name(uint32_t kind)
{
    return kind == PHASE_LOOP ? "loop" : kind == PHASE_STEPS ? "steps" : "start";
}

const char *ending_words(enum ending ending)
{
    static const char *const words[] = {
#define ENDING(name, words) [ENDING_##name] = words,
        ENDINGS(ENDING)
#undef ENDING
    };

    return words[ending];
}

struct interval interval_in_order(struct interval interval)
{
    const struct slope slope =
        stats_in_order((struct slope){interval.estimate, interval.low, interval.high});

    return (struct interval){slope.estimate, slope.low, slope.high};
}

void fact_add(struct finding *finding, struct fact fact)
{
    if (fact.id != FACT_none && finding->fact_count < FACTS_MAX)
        finding->facts[finding->fact_count++] = fact;
}

void fact_drop(struct finding *finding, enum fact_id id)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < finding->fact_count; i++)
        if (finding->facts[i].id != id)
            finding->facts[kept++] = finding->facts[i];
    finding->fact_count = kept;
}

const char *fix_where_name(enum fix_where where)
{
    static const char *const names[] = {NULL, "replace", "after", "before"};

    return names[where];
}

void advise(struct finding *finding, enum remedy_name advice)
{
    finding->advice = advice;
    finding->advice_code = NULL;
}

const char *demotion_name(enum demotion demotion)
{
    static const char *const names[] = {
        NULL, /* DEMOTED_none */
#define DEMOTION(name, spelling, says) spelling,
#include "doctor/facts/demotions.def"
#undef DEMOTION
    };

    return names[demotion];
}

void demote(struct finding *finding, enum demotion demotion)
{
    finding->demoted = demotion;
    finding->note = demotion != DEMOTED_none;
}
