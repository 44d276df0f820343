/* brief.h - the text report on one screen: what grows, where, what holds it, what to change. */
#ifndef TARE_REPORT_BRIEF_H
#define TARE_REPORT_BRIEF_H

#include "doctor/facts/diagnosis.h"
#include "report/page.h"

/* Writes everything after the answer. A finding takes at most BRIEF_LINES lines. */
#define BRIEF_LINES 12
void brief_put(struct page *page, const struct diagnosis *d);

#endif /* TARE_REPORT_BRIEF_H */
