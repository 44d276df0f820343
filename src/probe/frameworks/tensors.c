/* tensors.c - see tensors.h. */
#include "probe/frameworks/tensors.h"

#include <string.h>

#include "ledger/layout.h"
#include "probe/core/self_memory.h"

#define SAMPLES_LEAST 3
#define SAMPLES_MOST 8
#define OBJECT_BYTES 64   /* in which the address of the native tensor lies */
#define TENSOR_BYTES 256
#define STORAGE_BYTES 96
#define OBJECT_FIRST 16   /* after count and type */

/* One sample's memory, copied. */
struct image {
    struct tensor_sample about;
    uint64_t object[OBJECT_BYTES / 8];
    uint64_t tensor[TENSOR_BYTES / 8];
    uint64_t storage[STORAGE_BYTES / 8];
};

static struct tensor_layout layout;
static uint8_t begun; /* atomic: one thread fills `layout`, once */
static bool known;    /* atomic: `layout` is complete */

/* ---- one look at all samples ---- */

static bool copy_tensors(struct image *images, uint32_t count, uint32_t inner)
{
    for (uint32_t i = 0; i < count; i++)
        if (!self_copy(images[i].tensor, images[i].object[inner / 8], TENSOR_BYTES))
            return false;
    return true;
}

static bool copy_storages(struct image *images, uint32_t count, uint32_t storage)
{
    for (uint32_t i = 0; i < count; i++)
        if (!self_copy(images[i].storage, images[i].tensor[storage / 8], STORAGE_BYTES))
            return false;
    return true;
}

static bool has_sizes(const struct image *image, uint32_t at)
{
    const uint64_t *words = &image->tensor[at / 8];

    return words[0] == TENSORS_DIMENSIONS &&
           memcmp(words + 1, image->about.sizes, sizeof(image->about.sizes)) == 0;
}

static bool has_type(const struct image *image, uint32_t at)
{
    uint16_t type;

    memcpy(&type, (const char *)image->tensor + at, sizeof(type));
    return type == image->about.type;
}

static bool has_data(const struct image *image, uint32_t at)
{
    return image->storage[at / 8] == image->about.data;
}

/* The first place where all samples have it; 0: none, or, where `only` is set, several. What is
 * searched for never begins an object: there are counts, types and tables of functions. */
static uint32_t find(const struct image *images, uint32_t count, uint32_t end, uint32_t step,
                     bool (*has)(const struct image *, uint32_t), bool only)
{
    uint32_t found = 0;

    for (uint32_t at = step; at < end; at += step) {
        uint32_t agree = 0;

        while (agree < count && has(&images[agree], at))
            agree++;
        if (agree < count)
            continue;
        if (found || !only)
            return found ? 0 : at;
        found = at;
    }
    return found;
}

/* ---- the layout ---- */

/* A storage has the address twice: of the elements, and of what is to be released with them. */
static bool find_storage(struct image *images, uint32_t count, struct tensor_layout *out)
{
    for (uint32_t at = 8; at < TENSOR_BYTES; at += 8) {
        if (!copy_storages(images, count, at))
            continue;
        out->data = find(images, count, STORAGE_BYTES, 8, has_data, false);
        out->storage = at;
        if (out->data)
            return true;
    }
    return false;
}

static bool find_layout(struct image *images, uint32_t count, struct tensor_layout *out)
{
    const uint32_t sizes_end = TENSOR_BYTES - 8 * TENSORS_DIMENSIONS;

    for (uint32_t at = OBJECT_FIRST; at < OBJECT_BYTES; at += 8) {
        if (!copy_tensors(images, count, at))
            continue;
        out->inner = at;
        out->sizes = find(images, count, sizes_end, 8, has_sizes, true);
        out->type = out->sizes ? find(images, count, TENSOR_BYTES, 2, has_type, true) : 0;
        if (out->type && find_storage(images, count, out))
            return true;
    }
    return false;
}

void tensors_learn(const struct tensor_sample *samples, uint32_t count)
{
    struct image images[SAMPLES_MOST];

    if (!samples || count < SAMPLES_LEAST || count > SAMPLES_MOST ||
        __atomic_test_and_set(&begun, __ATOMIC_ACQUIRE))
        return;
    for (uint32_t i = 0; i < count; i++) {
        images[i].about = samples[i];
        if (!self_copy(images[i].object, samples[i].object, OBJECT_BYTES))
            return;
    }
    if (find_layout(images, count, &layout))
        __atomic_store_n(&known, true, __ATOMIC_RELEASE); /* acquired by tensors_layout */
}

const struct tensor_layout *tensors_layout(void)
{
    return __atomic_load_n(&known, __ATOMIC_ACQUIRE) ? &layout : NULL;
}

uint32_t tensors_dtype(uint16_t type)
{
    static const uint8_t types[] = {
        [0] = DTYPE_uint8,         [1] = DTYPE_int8,           [2] = DTYPE_int16,
        [3] = DTYPE_int32,         [4] = DTYPE_int64,          [5] = DTYPE_float16,
        [6] = DTYPE_float32,       [7] = DTYPE_float64,        [9] = DTYPE_complex64,
        [10] = DTYPE_complex128,   [11] = DTYPE_bool,          [15] = DTYPE_bfloat16,
        [23] = DTYPE_float8_e5m2,  [24] = DTYPE_float8_e4m3fn, [27] = DTYPE_uint16,
        [28] = DTYPE_uint32,       [29] = DTYPE_uint64};

    return type < sizeof(types) ? types[type] : 0;
}
