/* troughs.h - the size of a managed heap after each of its full collections. */
#ifndef TARE_DOCTOR_TROUGHS_H
#define TARE_DOCTOR_TROUGHS_H

#include "doctor/measure/visit.h"

#define TROUGHS_ROOM 256

/* Bytes in use after full collections, oldest first. */
struct troughs {
    double tick[TROUGHS_ROOM];  /* tick of each collection */
    double bytes[TROUGHS_ROOM]; /* bytes in use after it */
    size_t count;               /* number of troughs */
    size_t seen; /* number of collections; if there were many, only the minimum of each stretch is here */
    uint64_t time; /* time of the latest collection */
};

/* Reads the collections of the last four fifths of the time that collections cover. */
void troughs_find(struct troughs *out, const struct visit *visit);

/* The same with the engine's own collections before the first request. They leave some garbage, so the
 * heap held no more than what they left: a rise from there is at least as large as it looks. */
void troughs_find_all(struct troughs *out, const struct visit *visit);

/* When the doctor first requested a collection; 0: never. The engine's own collections leave
 * more garbage than requested ones. So the engine's own count until the first request and are
 * ignored after it. */
uint64_t troughs_asked(const struct model *model);

size_t troughs_rises(const struct troughs *troughs); /* number of troughs higher than the one before */
double troughs_highest(const struct troughs *troughs);

/* True if all troughs are close to a straight line from the first to the last. Those of a store
 * that fills up are not. */
bool troughs_steady(const struct troughs *troughs);

/* The size at this tick, interpolated between two troughs. */
double troughs_at(const struct troughs *troughs, double tick);

#endif /* TARE_DOCTOR_TROUGHS_H */
