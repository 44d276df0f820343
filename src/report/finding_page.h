/* finding_page.h - the lines about a finding that both the report and `tare explain` have. */
#ifndef TARE_REPORT_FINDING_PAGE_H
#define TARE_REPORT_FINDING_PAGE_H

#include "doctor/facts/diagnosis.h"
#include "report/page.h"

#define PAGE_NAME_WIDTH 72 /* of a function; the templates of C++ know no end */

enum tone page_kind_tone(enum kind kind);
const char *page_kind_says(enum kind kind); /* in plain words, as in kinds.def */

/* The name of a tick of the chosen clock, and of the unit in which rates are given. */
const char *page_tick(const struct process_report *report);
const char *page_rate_unit(const struct process_report *report);

/* False: an undecided finding whose rate may as well be zero. */
bool page_has_rate(const struct finding *finding);
void page_growth(struct page *page, const struct process_report *report,
                 const struct finding *finding);
/* The same as text, without a label. */
void page_growth_text(const struct process_report *report, const struct finding *finding, char *text,
                      size_t size);
/* The lines that make the memory, with their shares: "a.py:4 (70%), a.py:9 (30%)". False: there is
 * one line at most, or the others make next to nothing. */
bool page_made_text(const struct finding *finding, char *text, size_t size);
void page_holder(struct page *page, const struct finding *finding); /* the holder, or why it is not known */
/* The native code that made the memory: in one line, and frame by frame. */
void page_native(struct page *page, const struct finding *finding);
void page_forecast(struct page *page, const struct process_report *report);
/* The same as text, without a label. False: there is no forecast. */
bool page_forecast_text(const struct process_report *report, char *text, size_t size);
void page_remedy(struct page *page, const struct remedy *remedy);

#endif /* TARE_REPORT_FINDING_PAGE_H */
