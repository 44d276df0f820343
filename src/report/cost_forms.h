/* cost_forms.h - what measuring cost, in the text report and in the JSON. */
#ifndef TARE_REPORT_COST_FORMS_H
#define TARE_REPORT_COST_FORMS_H

#include "report/json/json_writer.h"
#include "report/page.h"

/* Of the whole run. Prints nothing where it is not known. */
void page_cost(struct page *page, const struct diagnosis *d);

/* Of a process; NULL: not known. */
void cost_json(struct json *json, const struct cost_summary *cost);

/* Of the run: the sum, and the processor time that it is a part of. */
void cost_json_run(struct json *json, const struct diagnosis *d);

#endif /* TARE_REPORT_COST_FORMS_H */
