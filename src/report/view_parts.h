/* view_parts.h - what view.c puts together: each part writes its own members of the page's data. */
#ifndef TARE_REPORT_VIEW_PARTS_H
#define TARE_REPORT_VIEW_PARTS_H

#include "base/intern.h"
#include "doctor/verbs/profile.h"
#include "report/json_writer.h"

struct view {
    const struct run *run;
    const struct diagnosis *diagnosis;
    const struct profile *profile;
    struct json *json;
    bool redact;
    /* Texts and frames that the stacks share, numbered as they come. */
    struct intern strings, frames;
    /* Files of the user's that a frame is in, and "file\0line" of each such place. */
    struct intern files, lines;
    bool failed; /* out of memory: said once, at the end */
};

/* "run", "timelines": memory over time, limits, interventions; at most a few thousand points. */
void view_time(struct view *view);

/* "stacks", "frames", "strings": the largest stacks of each process, the rest as one. */
void view_stacks(struct view *view);

/* "files": source around the places that view_stacks has met. Nothing of it when redacted. */
void view_files(struct view *view);

#endif /* TARE_REPORT_VIEW_PARTS_H */
