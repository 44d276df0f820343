/* guests.h - what `tare run` adds to a program's environment, and where those files lie. */
#ifndef TARE_BASE_GUESTS_H
#define TARE_BASE_GUESTS_H

#define GUEST_PROBE       "libtare-probe.so" /* in LD_PRELOAD, by its whole path */
#define GUEST_PYTHON      "python/inject"    /* beside it; in PYTHONPATH */
#define GUEST_NODE        "node/tare.cjs"    /* beside it; in NODE_OPTIONS, behind this: */
#define GUEST_NODE_OPTION "--require="

#define GUEST_SEARCH "tare-search" /* name of the copy of a program in which holders are searched for */

#endif /* TARE_BASE_GUESTS_H */
