/* lines_form.h - the tables of functions measured line by line, as text and as JSON. */
#ifndef TARE_REPORT_LINES_FORM_H
#define TARE_REPORT_LINES_FORM_H

#include <stdbool.h>
#include <stdio.h>

#include "ledger/model.h"

/* The number of functions of the run that were measured line by line. */
size_t lines_count(const struct run *run);

void lines_text(const struct run *run, bool color, FILE *out);
void lines_json(const struct run *run, FILE *out);

/* Writes the tables of the run directory or ledger at `path`. Returns how many, or a negative enum err. */
int lines_path(const char *path, bool json, bool color, FILE *out, struct why *why);

#endif /* TARE_REPORT_LINES_FORM_H */
