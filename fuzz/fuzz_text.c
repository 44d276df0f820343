/* fuzz_text.c - whatever the bytes, the results of text_json and text_safe are harmless. */
#include "promise.h"

#include <string.h>

#include "base/text.h"

/* The text is UTF-8 without control characters. */
static void check_characters(const struct text *text)
{
    uint32_t character;

    for (size_t at = 0; at < text->length;) {
        const size_t size = text_character(text->bytes + at, text->length - at, &character);

        PROMISE(size > 0);
        PROMISE(character >= 0x20 && character != 0x7f);
        at += size;
    }
}

/* Quotes are at both ends and, inside, only after a backslash that is not itself escaped. */
static void check_quotes(const struct text *text)
{
    size_t at = 1;

    PROMISE(text->length >= 2 && text->bytes[0] == '"');
    while (at + 1 < text->length) {
        PROMISE(text->bytes[at] != '"');
        at += text->bytes[at] == '\\' ? 2 : 1;
    }
    PROMISE(at + 1 == text->length && text->bytes[at] == '"');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text json = {0}, safe = {0};

    text_json(&json, (const char *)bytes, size);
    text_safe(&safe, (const char *)bytes, size);
    PROMISE(!json.failed && !safe.failed);
    check_characters(&json);
    check_quotes(&json);
    check_characters(&safe);
    PROMISE(strlen(text_string(&safe)) == safe.length);
    text_free(&json);
    text_free(&safe);
    return 0;
}
