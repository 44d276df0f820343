/* run_page.h - the lines that the short and the whole text report share. */
#ifndef TARE_REPORT_RUN_PAGE_H
#define TARE_REPORT_RUN_PAGE_H

#include "doctor/verbs/tried.h"
#include "report/page.h"

/* Number, kind and confidence of a finding that so many processes have (doctor/run/number.h). */
void page_title(struct page *page, const struct diagnosis *d, const struct process_report *report,
                const struct finding *finding, size_t owners);

/* What the process was measured by, and how much of it was seen. */
void page_clock(struct page *page, const struct process_report *report);

/* The remedy of `tare run --try` and what it changed; NULL: none was tried. */
void page_tried(struct page *page, const struct tried *tried);

#endif /* TARE_REPORT_RUN_PAGE_H */
