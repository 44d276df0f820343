/* hooks_tensorflow.h - TensorFlow's own pool of memory for large tensors. */
#ifndef TARE_PROBE_HOOKS_TENSORFLOW_H
#define TARE_PROBE_HOOKS_TENSORFLOW_H

#include <stdbool.h>

/* Where the loader's lock may be taken: at an import. False: no library defines the pool. */
bool hooks_tensorflow_resolve(void);

#endif /* TARE_PROBE_HOOKS_TENSORFLOW_H */
