/* fuzz_source_map.c - whatever the bytes, a source map is refused or answers for every position. */
#include "promise.h"

#include "doctor/source/source_map.h"

static void ask(const struct source_map *map, unsigned line, unsigned column)
{
    struct source_position found;
    struct text name = {0}, text = {0};

    if (source_map_find(map, line, column, &found)) {
        PROMISE(found.source < source_map_count(map) && found.line > 0);
        (void)source_map_name(map, found.source, &name);
        (void)source_map_text(map, found.source, &text);
    }
    text_free(&name);
    text_free(&text);
}

static void as_script(const char *bytes, size_t size)
{
    struct text text = {0};
    const char *url;
    size_t length;

    if (source_map_url(bytes, size, &url, &length)) {
        PROMISE(url >= bytes && length <= size - (size_t)(url - bytes));
        (void)source_map_inline(url, length, &text);
    }
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct source_map *map = NULL;
    struct why why = {""};
    const int err = source_map_new(&map, (const char *)bytes, size, &why);

    as_script((const char *)bytes, size);
    PROMISE(err <= 0 && (err == 0) == (map != NULL) && (err == 0 || why.text[0] != 0));
    if (err)
        return 0;
    for (unsigned line = 0; line < 6; line++)
        for (unsigned column = 0; column < 20; column += 3)
            ask(map, line, column);
    ask(map, UINT32_MAX, UINT32_MAX);
    source_map_free(map);
    return 0;
}
