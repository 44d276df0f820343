/* objects.h - what to have watched while the program runs: small objects, size classes. */
#ifndef TARE_DOCTOR_OBJECTS_H
#define TARE_DOCTOR_OBJECTS_H

#include "doctor/measure/visit.h"

struct objects {
    bool suspect;     /* their number grows, and long enough to say so */
    bool watched;     /* they are being followed now */
    uint64_t seen;    /* ticks for which they were followed in the latest window */
    uint64_t focus;   /* further size classes to watch: classes_focus of the same suspects */
    uint64_t suspected; /* all suspected classes, watched or not */
    uint64_t window;  /* number of steps for which it is worth following them */
};

void objects_look(struct objects *out, const struct visit *visit); /* that has been judged */

#endif /* TARE_DOCTOR_OBJECTS_H */
