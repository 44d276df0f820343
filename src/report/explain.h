/* explain.h - one finding in full: how many blocks of each step survive, the whole stack, all evidence. */
#ifndef TARE_REPORT_EXPLAIN_H
#define TARE_REPORT_EXPLAIN_H

#include <stdint.h>
#include <stdio.h>

#include "report/options.h"
#include "report/page.h"

/* Judges the run at `path` and explains the finding `id` of process `pid` (0: of the only process that has
 * a finding with this number). Returns the finding's kind, or a negative enum err: ERR_USAGE if there
 * is no such finding, or if several processes have one. */
int explain_path(const char *path, uint32_t pid, unsigned id, const struct report_options *options,
                 FILE *out, struct why *why);

/* Judges the run at `path` and prints the trail: what each rule said, in order. With `id` 0 it is the whole
 * trail of process `pid` (0: of the one that speaks for the run), else what was said of that finding's
 * lines. */
int explain_why(const char *path, uint32_t pid, unsigned id, const struct report_options *options,
                FILE *out, struct why *why);

/* Writes the finding, or one place of a stack, to a page. */
void explain_finding(struct page *page, const struct process_report *report,
                     const struct finding *finding);
void explain_place(struct page *page, const char *label, const char *before,
                   const struct place *place);

#endif /* TARE_REPORT_EXPLAIN_H */
