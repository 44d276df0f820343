/* guests.h - the files that `tare run` names in a program's environment, and where they are. */
#ifndef TARE_BASE_GUESTS_H
#define TARE_BASE_GUESTS_H

#define GUEST_PROBE       "libtare-probe.so" /* in LD_PRELOAD, by its whole path */
#define GUEST_PYTHON      "python/inject"    /* beside it; in PYTHONPATH */
#define GUEST_NODE        "node/tare.cjs"    /* beside it; in NODE_OPTIONS, after this option: */
#define GUEST_NODE_OPTION "--require="

#define GUEST_SEARCH "tare-search" /* name of the copy of a program in which holders are searched for */

#endif /* TARE_BASE_GUESTS_H */
