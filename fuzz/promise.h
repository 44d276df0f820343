/* promise.h - PROMISE(condition) must be true for every input; the fuzzer reports an input that breaks it. */
#ifndef TARE_FUZZ_PROMISE_H
#define TARE_FUZZ_PROMISE_H

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

#endif /* TARE_FUZZ_PROMISE_H */
