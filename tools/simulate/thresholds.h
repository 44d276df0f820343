/* thresholds.h - other values for the thresholds of doctor/facts/rules.def, in this program alone. */
#ifndef TARE_SIMULATE_THRESHOLDS_H
#define TARE_SIMULATE_THRESHOLDS_H

#include <stdbool.h>
#include <stddef.h>

size_t threshold_count(void);                  /* rules that can be changed */
const char *threshold_name(size_t rule);       /* "PACE" */
double threshold_value(size_t rule);           /* as it is now */
void threshold_to(size_t rule, double value);  /* a whole number is rounded, and is at least 1 */

/* "NAME=VALUE". False: no such rule, or no number. */
bool threshold_by_words(const char *words);

/* A table of all rules, in the order of rules.def. */
void threshold_list(void);

#endif /* TARE_SIMULATE_THRESHOLDS_H */
