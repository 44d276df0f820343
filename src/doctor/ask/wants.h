/* wants.h - what a look at the ledger of a running program found worth asking. */
#ifndef TARE_DOCTOR_WANTS_H
#define TARE_DOCTOR_WANTS_H

#include "doctor/ask/objects.h"
#include "doctor/peak/peaks.h"
#include "ledger/mailbox.h"

#define WANTS_SITES 16 /* sites that one look proposes for a search for holders */
#define WANTS_STEPS 12 /* fewer say nothing that could be asked about */

struct wants {
    uint64_t focus;
    uint32_t sites[WANTS_SITES];
    unsigned site_count;
    uint32_t large[PEAKS_ASKED]; /* sites of large blocks that stand */
    size_t large_count;
    uint32_t early[MAILBOX_SITES]; /* other sizes of `sites`, then sites that only may leak; maybe twice */
    size_t early_count;
    bool trim;
    bool python;
    bool script; /* JavaScript runs */
    bool heap;   /* the JavaScript heap may grow */
    bool rising; /* the JavaScript heap grew from one collection to the next */
    bool held;   /* JavaScript objects hold something that was found */
    bool loading; /* too early for garbage to mean anything */
    bool collect; /* something grows that garbage could explain */
    bool objects_found; /* small objects were found to be kept */
    struct objects objects;
    bool late_trim; /* only at the end: it changes the very size that is judged */
    bool leaking, undecided;
    uint64_t steps;
    double growth, device_growth; /* of leaks, in bytes per second: of the host's memory, and of devices' */
};

/* False: the ledger cannot be read now. */
bool wants_look(struct wants *wants, const char *ledger);

#endif /* TARE_DOCTOR_WANTS_H */
