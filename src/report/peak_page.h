/* peak_page.h - the parts of a text report about arrays and about the peak. */
#ifndef TARE_REPORT_PEAK_PAGE_H
#define TARE_REPORT_PEAK_PAGE_H

#include "report/page.h"

void page_array(struct page *page, const struct array_facts *array); /* accepts NULL */
void page_peaks(struct page *page, const struct process_report *report);

#endif /* TARE_REPORT_PEAK_PAGE_H */
