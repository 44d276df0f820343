/* python_selftest.h - checks that the chain of frames matches the offsets before it is trusted */
#ifndef TARE_PROBE_PYTHON_SELFTEST_H
#define TARE_PROBE_PYTHON_SELFTEST_H

#include "probe/python/python_code.h"

enum selftest {
    SELFTEST_LATER, /* there was no frame to examine */
    SELFTEST_PASSED,
    SELFTEST_FAILED,
};

/* `state` is the calling thread's own. Every read is one that cannot fault. */
enum selftest python_selftest(const struct python *python, uintptr_t state);

#endif /* TARE_PROBE_PYTHON_SELFTEST_H */
