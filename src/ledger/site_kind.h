/* site_kind.h - questions about enum site_kind. */
#ifndef TARE_LEDGER_SITE_KIND_H
#define TARE_LEDGER_SITE_KIND_H

#include <stdbool.h>

#include "ledger/layout.h"

/* A tensor lies in memory that is counted already, and has no address of its own. */
static inline bool site_is_tensor(uint32_t kind)
{
    return kind == SITE_TENSOR || kind == SITE_TENSOR_MANAGED;
}

/* Are its bytes among those of the heap's blocks? So is the data of tensors that the language
 * itself has. */
static inline bool site_is_in_heap(uint32_t kind)
{
    return kind == SITE_HEAP || kind == SITE_TENSOR_MANAGED;
}

/* Memory of a device. Its address is the device's; nothing lies there in the memory of the process. */
static inline bool site_is_device(uint32_t kind)
{
    return kind == SITE_DEVICE;
}

/* An adapter reports them one by one, and they are not in the heap. */
static inline bool site_is_reported(uint32_t kind)
{
    return site_is_tensor(kind) || kind == SITE_BUFFER;
}

#endif /* TARE_LEDGER_SITE_KIND_H */
