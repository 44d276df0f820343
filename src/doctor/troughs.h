/* troughs.h - what full collections have left of a managed heap, one after the other. */
#ifndef TARE_DOCTOR_TROUGHS_H
#define TARE_DOCTOR_TROUGHS_H

#include "doctor/visit.h"

#define TROUGHS_ROOM 256

/* Bytes in use behind full collections, oldest first. */
struct troughs {
    double tick[TROUGHS_ROOM], bytes[TROUGHS_ROOM];
    size_t count;
    size_t seen; /* collections; of many only the least of each stretch is here */
    uint64_t time; /* of the latest */
};

/* Of the time that collections saw the last four fifths. */
void troughs_find(struct troughs *out, const struct visit *visit);

/* When the doctor first asked for one; 0: never. The engine's own collections leave more than those that
 * somebody asks for: they count until then, and are not told of behind that. */
uint64_t troughs_asked(const struct model *model);

size_t troughs_rises(const struct troughs *troughs); /* that are higher than the one before */
double troughs_highest(const struct troughs *troughs);

/* Do they lie on a line, from the first to the last? Nothing that fills up does that. */
bool troughs_steady(const struct troughs *troughs);

/* Between two of them on the line from one to the other. */
double troughs_at(const struct troughs *troughs, double tick);

#endif /* TARE_DOCTOR_TROUGHS_H */
