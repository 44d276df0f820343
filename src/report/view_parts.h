/* view_parts.h - the parts of the page's data; each file view_*.c writes its own members. */
#ifndef TARE_REPORT_VIEW_PARTS_H
#define TARE_REPORT_VIEW_PARTS_H

#include "base/intern.h"
#include "doctor/verbs/profile.h"
#include "report/json/json_writer.h"

struct view {
    const struct run *run;
    const struct diagnosis *diagnosis;
    const struct profile *profile; /* its stacks */
    struct json *json;             /* the document being written */
    bool redact; /* leave the source out */
    struct intern strings, frames; /* texts and frames of all stacks, each written once */
    struct intern files;           /* the user's files with a frame in them */
    struct intern lines;           /* for each line of these with a frame: number of its file, and the line */
    bool failed;                   /* out of memory; reported once, at the end */
};

/* "run", "timelines": memory over time, limits, interventions; at most a few thousand points. */
void view_time(struct view *view);

/* "stacks", "frames", "strings": the largest stacks of each process, and the sum of the others. */
void view_stacks(struct view *view);

/* "files": the source around the places that view_stacks found. Empty when redacted. */
void view_files(struct view *view);

#endif /* TARE_REPORT_VIEW_PARTS_H */
