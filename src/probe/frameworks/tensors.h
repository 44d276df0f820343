/* tensors.h - where a torch.Tensor keeps its sizes, its type and its data.
 *
 * The layout of torch's classes is not an interface, so the probe finds it at run time: the adapter
 * makes a few tiny tensors of known sizes and types, and the probe searches, once, for what
 * distinguishes them in memory. Where the result is not unique, or memory may not be read, tensors
 * are not described.
 */
#ifndef TARE_PROBE_TENSORS_H
#define TARE_PROBE_TENSORS_H

#include <stdbool.h>
#include <stdint.h>

#define TENSORS_DIMENSIONS 3 /* of each sample */
#define TENSORS_INLINE 5     /* up to this many sizes lie in the tensor; more lie elsewhere */

/* One tensor, alive during the call. */
struct tensor_sample {
    uint64_t object; /* the Python object */
    uint64_t data;   /* address of the first element */
    uint64_t type;   /* torch's own number of its type */
    uint64_t sizes[TENSORS_DIMENSIONS];
};

/* Offsets in bytes. Each field names the object that it applies to, and what lies there. */
struct tensor_layout {
    uint32_t inner;   /* the Python object: address of the native tensor */
    uint32_t sizes;   /* the native tensor: how many dimensions, then their sizes */
    uint32_t type;    /* the native tensor: 16 bits */
    uint32_t storage; /* the native tensor: address of its storage */
    uint32_t data;    /* the storage: address of the first element */
};

/* Learns the layout from these, once. */
void tensors_learn(const struct tensor_sample *samples, uint32_t count);

const struct tensor_layout *tensors_layout(void); /* NULL: not known */

/* torch's number of a type as one of dtypes.def; 0: another. */
uint32_t tensors_dtype(uint16_t type);

#endif /* TARE_PROBE_TENSORS_H */
