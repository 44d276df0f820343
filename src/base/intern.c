/* intern.c - see intern.h. */
#include "base/intern.h"

#include <string.h>

#include "base/mem.h"

uint64_t intern_hash(const char *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325ull;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001b3ull;
    return hash;
}

/* The slot of these bytes, or the free one where they belong. */
static uint32_t *find(const struct intern *intern, const char *bytes, size_t length, uint64_t hash)
{
    size_t at = hash & (intern->slot_count - 1);

    for (;; at = (at + 1) & (intern->slot_count - 1)) {
        const struct intern_entry *entry;

        if (intern->slots[at] == 0)
            return &intern->slots[at];
        entry = &intern->entries[intern->slots[at] - 1];
        if (entry->hash == hash && entry->length == length &&
            memcmp(entry->bytes, bytes, length) == 0)
            return &intern->slots[at];
    }
}

static int grow_slots(struct intern *intern)
{
    const size_t want = intern->slot_count ? 2 * intern->slot_count : 64;
    uint32_t *fresh = mem_zalloc_array(want, sizeof(*fresh));

    if (!fresh)
        return 0;
    mem_free(intern->slots);
    intern->slots = fresh;
    intern->slot_count = want;
    for (size_t i = 0; i < intern->count; i++) {
        const struct intern_entry *entry = &intern->entries[i];

        *find(intern, entry->bytes, entry->length, entry->hash) = (uint32_t)i + 1;
    }
    return 1;
}

static int grow_entries(struct intern *intern)
{
    const size_t want = intern->room ? 2 * intern->room : 32;
    struct intern_entry *fresh = mem_resize(intern->entries, want, sizeof(*fresh));

    if (!fresh)
        return 0;
    intern->entries = fresh;
    intern->room = want;
    return 1;
}

size_t intern_number(struct intern *intern, const char *bytes, size_t length)
{
    const uint64_t hash = intern_hash(bytes, length);
    uint32_t *slot;
    char *copy;

    if (2 * (intern->count + 1) > intern->slot_count && !grow_slots(intern))
        return INTERN_NONE;
    if (intern->count == intern->room && !grow_entries(intern))
        return INTERN_NONE;
    slot = find(intern, bytes, length, hash);
    if (*slot)
        return *slot - 1;
    copy = mem_copy_text(bytes, length);
    if (!copy)
        return INTERN_NONE;
    intern->entries[intern->count] = (struct intern_entry){copy, length, hash};
    *slot = (uint32_t)++intern->count;
    return intern->count - 1;
}

size_t intern_text(struct intern *intern, const char *text)
{
    return text ? intern_number(intern, text, strlen(text)) : intern_number(intern, "", 0);
}

void intern_fini(struct intern *intern)
{
    for (size_t i = 0; i < intern->count; i++)
        mem_free(intern->entries[i].bytes);
    mem_free(intern->entries);
    mem_free(intern->slots);
    *intern = (struct intern){0};
}
