/* arrays.c - see arrays.h. */
#include "doctor/held/arrays.h"

#include "base/arena.h"
#include "base/text.h"
#include "doctor/facts/diagnosis.h"

static const char *dtype_name(uint32_t dtype)
{
    static const char *const names[] = {
#define DTYPE(number, name, bytes, says) [number] = #name,
#include "ledger/dtypes.def"
#undef DTYPE
    };

    return dtype < sizeof(names) / sizeof(names[0]) && names[dtype] ? names[dtype] : "";
}

static const char *library_name(uint32_t kind)
{
    return kind == ARRAY_NUMPY ? "numpy" : kind == ARRAY_TORCH ? "torch" : NULL;
}

static const char *shape_text(const struct array_record *record, struct arena *arena)
{
    struct text text = {0};
    const char *out;

    text_put(&text, "[");
    for (uint32_t i = 0; i < record->dimensions && i < ARRAY_SIZES; i++)
        text_print(&text, "%s%llu", i > 0 ? ", " : "", (unsigned long long)record->sizes[i]);
    text_put(&text, record->dimensions > ARRAY_SIZES ? ", …]" : "]");
    out = arena_text(arena, text_string(&text), text.length);
    text_free(&text);
    return out;
}

const struct array_facts *arrays_of(const struct model *model, const struct holder_record *record,
                                    struct arena *arena)
{
    const size_t number = (size_t)(record - model->holders) + 1;

    for (size_t i = 0; i < model->array_count; i++) {
        const struct array_record *array = &model->arrays[i];
        struct array_facts *out;

        if (array->holder != number || !library_name(array->kind))
            continue;
        out = arena_take(arena, 1, sizeof(*out));
        if (!out)
            return NULL;
        *out = (struct array_facts){.kind = (enum array_kind)array->kind,
                                    .library = library_name(array->kind),
                                    .dtype = dtype_name(array->dtype),
                                    .shape = shape_text(array, arena),
                                    .elements = array->elements,
                                    .bytes = array->bytes,
                                    .rows = array->dimensions ? array->sizes[0] : 0};
        return out->shape ? out : NULL;
    }
    return NULL;
}

const char *arrays_text(const struct array_facts *array, struct arena *arena)
{
    return arena_print(arena, "%s%s%s", array->dtype, array->dtype[0] ? " " : "", array->shape);
}
