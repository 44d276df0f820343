/* thresholds.c - see thresholds.h. The variables themselves live here: no other program has them. */
#include "thresholds.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/facts/rules.h"

#define GROUP(title)
#define SIZE(name, value, unit, reason, source)
#define COUNT(name, value, unit, reason, source) int64_t RULE_##name = (value);
#define SHARE(name, value, unit, reason, source) double RULE_##name = (value);
#include "doctor/facts/rules.def"
#undef COUNT
#undef SHARE

static const struct rule {
    const char *name;
    int64_t *count; /* one of the two; the other is NULL */
    double *share;
} rules[] = {
#define COUNT(name, value, unit, reason, source) {#name, &RULE_##name, NULL},
#define SHARE(name, value, unit, reason, source) {#name, NULL, &RULE_##name},
#include "doctor/facts/rules.def"
#undef GROUP
#undef SIZE
#undef COUNT
#undef SHARE
};

size_t threshold_count(void)
{
    return sizeof(rules) / sizeof(rules[0]);
}

const char *threshold_name(size_t rule)
{
    return rules[rule].name;
}

double threshold_value(size_t rule)
{
    return rules[rule].count ? (double)*rules[rule].count : *rules[rule].share;
}

void threshold_to(size_t rule, double value)
{
    if (rules[rule].count)
        *rules[rule].count = value < 1 ? 1 : llround(value);
    else
        *rules[rule].share = value;
}

bool threshold_by_words(const char *words)
{
    const char *sign = strchr(words, '=');
    const size_t length = sign ? (size_t)(sign - words) : 0;
    char *end = NULL;
    const double value = sign ? strtod(sign + 1, &end) : 0;

    if (!sign || end == sign + 1 || *end || !isfinite(value))
        return false;
    for (size_t i = 0; i < threshold_count(); i++)
        if (strlen(rules[i].name) == length && memcmp(rules[i].name, words, length) == 0) {
            threshold_to(i, value);
            return true;
        }
    return false;
}

void threshold_list(void)
{
#define GROUP(title) (void)printf("\n%s\n", title);
#define SIZE(name, value, unit, reason, source)                                                         \
    (void)printf("  %s = %g %s: %s (%s; not changeable)\n", #name, (double)(value), unit, reason, source);
#define COUNT(name, value, unit, reason, source)                                                        \
    (void)printf("  %s = %g %s: %s (%s)\n", #name, (double)(value), unit, reason, source);
#define SHARE(name, value, unit, reason, source) COUNT(name, value, unit, reason, source)
#include "doctor/facts/rules.def"
#undef GROUP
#undef SIZE
#undef COUNT
#undef SHARE
}
