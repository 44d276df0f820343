/* run_page.h - the lines that both the short and the full text report have. */
#ifndef TARE_REPORT_RUN_PAGE_H
#define TARE_REPORT_RUN_PAGE_H

#include "doctor/verbs/tried.h"
#include "report/page.h"

/* Number, kind and confidence of a finding. `owners`: how many processes have it (doctor/run/number.h). */
void page_title(struct page *page, const struct diagnosis *d, const struct process_report *report,
                const struct finding *finding, size_t owners);

/* The clock of the process, its ticks and the time watched. */
void page_clock(struct page *page, const struct process_report *report);

/* The remedy of `tare run --try` and its effect. NULL prints nothing: none was tried. */
void page_tried(struct page *page, const struct tried *tried);

#endif /* TARE_REPORT_RUN_PAGE_H */
