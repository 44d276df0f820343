/* json_parts.h - parts of the report that several places of its JSON have. `name`: see json_writer.h. */
#ifndef TARE_REPORT_JSON_PARTS_H
#define TARE_REPORT_JSON_PARTS_H

#include "doctor/facts/diagnosis.h"
#include "report/json/json_writer.h"

void json_place(struct json *json, const char *name, const struct place *place);
void json_places(struct json *json, const char *name, const struct place *places, size_t count);
void json_texts(struct json *json, const char *name, const char *const *texts, size_t count);
void json_array(struct json *json, const struct array_facts *array);
void json_finding(struct json *json, const struct finding *finding);

#endif /* TARE_REPORT_JSON_PARTS_H */
