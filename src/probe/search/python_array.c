/* python_array.c - see python_array.h. */
#include "probe/search/python_array.h"

#include <string.h>

#include "probe/frameworks/tensors.h"
#include "probe/search/python_objects.h"

#define DIMENSIONS_MOST 64
#define VIEWS_MOST 8 /* a view of a view … */

/* In a numpy.ndarray, the same since 1.0, and in its descriptor of types. */
enum {
    ARRAY_DATA = 16,
    ARRAY_DIMENSIONS = 24, /* int */
    ARRAY_SHAPE = 32,
    ARRAY_BASE = 48,
    ARRAY_TYPE = 56,
    ARRAY_END = 64,
    TYPE_NUMBER = 28,   /* int */
    TYPE_SIZE_1 = 32,   /* before 2.0: int, followed by an int that is never 0 */
    TYPE_SIZE_2 = 40,   /* since 2.0, after flags that fit an int */
    TYPE_DESCRIPTION_END = 48
};

/* By NumPy's own number of the type. */
static const uint8_t numpy_types[] = {
    DTYPE_bool,    DTYPE_int8,       DTYPE_uint8,      DTYPE_int16,      DTYPE_uint16,
    DTYPE_int32,   DTYPE_uint32,     DTYPE_int64,      DTYPE_uint64,     DTYPE_int64,
    DTYPE_uint64,  DTYPE_float32,    DTYPE_float64,    DTYPE_longdouble, DTYPE_complex64,
    DTYPE_complex128, DTYPE_clongdouble, DTYPE_object, DTYPE_bytes,      DTYPE_str,
    DTYPE_void,    DTYPE_datetime64, DTYPE_timedelta64, DTYPE_float16};

static const uint8_t element_bytes[] = {
#define DTYPE(number, name, bytes, says) [number] = bytes,
#include "ledger/dtypes.def"
#undef DTYPE
};

static bool readable(const struct graph *graph, uintptr_t at, uintptr_t size)
{
    return at % 8 == 0 && pages_readable(&graph->pages, at, size);
}

static uint32_t int_at(uintptr_t at)
{
    uint32_t value;

    memcpy(&value, (const void *)at, sizeof(value));
    return value;
}

/* Sizes, elements and bytes; false: they do not fit the room there is. */
static bool fill(struct search_array *out, const uint64_t *sizes, uint32_t dimensions,
                 uint64_t element, uint64_t room)
{
    uint64_t elements = 1;

    for (uint32_t i = 0; i < dimensions; i++) {
        if (sizes[i] > room || (sizes[i] > 0 && elements > room / sizes[i]))
            return false;
        elements *= sizes[i];
        if (i < ARRAY_SIZES)
            out->sizes[i] = sizes[i];
    }
    if (element == 0 || elements == 0 || elements > room / element)
        return false;
    out->dimensions = dimensions;
    out->elements = elements;
    out->bytes = elements * element;
    return true;
}

/* ---- NumPy ---- */

static bool is_array(const struct graph *graph, uintptr_t object, uintptr_t start, uintptr_t end)
{
    return python_objects_is(graph, object) && python_objects_named(object, "numpy.ndarray") &&
           graph_word(object + ARRAY_DATA) >= start && graph_word(object + ARRAY_DATA) < end;
}

/* A view leads to the array that it is a part of. */
static uintptr_t whole_array(const struct graph *graph, uintptr_t array, uintptr_t start,
                             uintptr_t end)
{
    for (unsigned i = 0; i < VIEWS_MOST; i++) {
        const uintptr_t base = graph_word(array + ARRAY_BASE);

        if (!base || !is_array(graph, base, start, end))
            break;
        array = base;
    }
    return array;
}

static uint64_t numpy_element(uintptr_t type, uint32_t dtype)
{
    const uint64_t word = graph_word(type + TYPE_SIZE_1);

    if (element_bytes[dtype])
        return element_bytes[dtype];
    return word >> 32 ? word & 0xffffffffu : graph_word(type + TYPE_SIZE_2);
}

static bool numpy_of(const struct graph *graph, uintptr_t object, uintptr_t start, uintptr_t end,
                     struct search_array *out)
{
    const uintptr_t array = whole_array(graph, object, start, end);
    const uint32_t dimensions = int_at(array + ARRAY_DIMENSIONS);
    const uintptr_t shape = graph_word(array + ARRAY_SHAPE), type = graph_word(array + ARRAY_TYPE);
    uint32_t number;

    if (dimensions > DIMENSIONS_MOST || !readable(graph, type, TYPE_DESCRIPTION_END) ||
        (dimensions && !readable(graph, shape, 8ul * dimensions)))
        return false;
    number = int_at(type + TYPE_NUMBER);
    if (number >= sizeof(numpy_types))
        return false;
    out->kind = ARRAY_NUMPY;
    out->dtype = numpy_types[number];
    return fill(out, (const uint64_t *)shape, dimensions, numpy_element(type, out->dtype),
                end - graph_word(array + ARRAY_DATA));
}

/* ---- PyTorch ---- */

static bool tensor_of(const struct graph *graph, uintptr_t tensor, uintptr_t start, uintptr_t end,
                      struct search_array *out)
{
    const struct tensor_layout *layout = tensors_layout();
    const uintptr_t room = layout->sizes + 8 * (1 + TENSORS_INLINE);
    uintptr_t storage, data, sizes;
    uint64_t dimensions;
    uint16_t type;

    if (!readable(graph, tensor, room > layout->type + 2u ? room : layout->type + 2u) ||
        !readable(graph, tensor + layout->storage, 8))
        return false;
    storage = graph_word(tensor + layout->storage);
    if (!readable(graph, storage + layout->data, 8))
        return false;
    data = graph_word(storage + layout->data);
    dimensions = graph_word(tensor + layout->sizes);
    sizes = tensor + layout->sizes + 8;
    if (dimensions > TENSORS_INLINE)
        sizes = graph_word(sizes);
    if (data < start || data >= end || dimensions > DIMENSIONS_MOST ||
        !readable(graph, sizes, 8 * (dimensions + 1)))
        return false;
    memcpy(&type, (const void *)(tensor + layout->type), sizeof(type));
    out->kind = ARRAY_TORCH;
    out->dtype = tensors_dtype(type);
    return out->dtype && fill(out, (const uint64_t *)sizes, (uint32_t)dimensions,
                              element_bytes[out->dtype], end - data);
}

bool python_array_of(const struct graph *graph, thing holder, uintptr_t start, uintptr_t end,
                     struct search_array *out)
{
    const struct tensor_layout *layout = tensors_layout();
    const bool is_object = holder & OBJECT_BIT;
    const uintptr_t at = is_object ? graph->objects.address[holder & INDEX_MASK]
                                   : graph->nodes.start[holder & INDEX_MASK];

    *out = (struct search_array){.kind = 0};
    if (is_object && is_array(graph, at, start, end))
        return numpy_of(graph, at, start, end, out);
    if (!layout)
        return false;
    if (!is_object)
        return tensor_of(graph, at, start, end, out);
    return readable(graph, at, layout->inner + 8ul) &&
           tensor_of(graph, graph_word(at + layout->inner), start, end, out);
}
