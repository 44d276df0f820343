/* reader.c - see reader.h. Nothing is allocated; every number is checked in the copy that is used.
 */
#include "ledger/reader.h"

#include <string.h>

#define RECORD_SIZE_MAX (64u * 1024u)
#define HOLD_TRIES      4

/* What this version allows, by section number; an empty row is a section from the future. */
struct allowed {
    const char *name;
    enum section_shape shape;
    uint64_t capacity;
};

static const struct allowed allowed[LEDGER_SECTIONS_MAX] = {
#define SECTION(number, name, record, shape, capacity, start, says)                                \
    [number] = {#name, SHAPE_##shape, capacity},
#include "ledger/sections.def"
#undef SECTION
};

/* Copies bytes that may change under us. Each is loaded once, so that what is checked is what is
 * used, and in order: what is copied later is at least as new. Pairs with the writer's release
 * stores. */
static void copy_out(void *to, const uint8_t *from, size_t size)
{
    uint8_t *out = to;

    if ((uintptr_t)from % sizeof(uint64_t) == 0)
        for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t)) {
            const uint64_t word =
                __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_ACQUIRE);

            memcpy(out, &word, sizeof(word));
            out += sizeof(word);
            from += sizeof(word);
        }
    for (; size > 0; size--)
        *out++ = __atomic_load_n(from++, __ATOMIC_ACQUIRE);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- the header ---- */

static int check_start(const uint8_t *bytes, size_t size, struct why *why)
{
    static const char none[sizeof(LEDGER_MAGIC) - 1];
    const size_t magic_size = sizeof(none);
    char magic[sizeof(none)];
    const size_t have = size < magic_size ? size : magic_size;

    if (size == 0)
        return fail(why, ERR_TRUNCATED, "the file is empty; a ledger has at least %d bytes",
                    LEDGER_HEADER_SIZE);
    copy_out(magic, bytes, have);
    if (size >= LEDGER_HEADER_SIZE && memcmp(magic, none, magic_size) == 0)
        return fail(why, ERR_ABSENT, "the ledger is not begun yet, or its program ended first");
    if (memcmp(magic, LEDGER_MAGIC, have) != 0)
        return fail(why, ERR_FORMAT, "not a ledger: the first %zu bytes are not its mark", have);
    if (size < LEDGER_HEADER_SIZE)
        return fail(why, ERR_TRUNCATED, "cut at byte %zu, inside the header of %d bytes", size,
                    LEDGER_HEADER_SIZE);
    return 0;
}

static int check_header(const struct ledger_header *head, struct why *why)
{
    if (head->version > LEDGER_VERSION)
        return fail(
            why, ERR_VERSION,
            "written in ledger version %u; this tare knows versions up to %u: use a newer tare",
            head->version, LEDGER_VERSION);
    if (head->version == 0)
        return fail(why, ERR_FORMAT, "the header names ledger version 0, which never existed");
    if (head->header_size < sizeof(*head) || head->header_size % 8 != 0)
        return fail(why, ERR_FORMAT, "the header claims %u bytes; it has at least %zu",
                    head->header_size, sizeof(*head));
    if (head->role != ROLE_PROCESS && head->role != ROLE_RUN)
        return fail(why, ERR_FORMAT, "the header names role %u, which does not exist", head->role);
    return 0;
}

/* ---- sections ---- */

static int check_entry(const struct section_entry *entry, uint32_t number, uint64_t header_size,
                       struct why *why)
{
    const char *name = allowed[number].name;
    uint64_t bytes, end;

    if (entry->number != number)
        return fail(why, ERR_FORMAT, "section %u (%s) calls itself %u", number, name,
                    entry->number);
    if (entry->record_size == 0 || entry->record_size % 8 != 0 ||
        entry->record_size > RECORD_SIZE_MAX)
        return fail(why, ERR_FORMAT, "section %s claims records of %u bytes", name,
                    entry->record_size);
    if (entry->offset < header_size || entry->offset % 8 != 0)
        return fail(why, ERR_FORMAT, "section %s claims to begin at byte %llu", name,
                    (unsigned long long)entry->offset);
    if (__builtin_mul_overflow(entry->capacity, (uint64_t)entry->record_size, &bytes) ||
        __builtin_add_overflow(entry->offset, bytes, &end))
        return fail(why, ERR_FORMAT, "section %s claims %llu records of %u bytes", name,
                    (unsigned long long)entry->capacity, entry->record_size);
    return 0;
}

/* How many records may be asked for: those published and on the disk, or, of rings and levels,
 * whose own counters say what is there and may move on meanwhile, all that are allowed; never more
 * than are in the file. */
static uint64_t readable(const struct reader *r, const struct section_entry *entry,
                         const struct allowed *rule)
{
    const uint64_t there = entry->offset < r->size ? r->size - entry->offset : 0;
    uint64_t count = least(entry->capacity, rule->capacity);

    if (rule->shape != SHAPE_RING && rule->shape != SHAPE_LEVELS)
        count = least(count, entry->taken);
    if (rule->shape == SHAPE_LOG || rule->shape == SHAPE_TABLE)
        count = least(count, entry->used);
    return least(count, there / entry->record_size);
}

static int check_sections(struct reader *r, struct why *why)
{
    const uint64_t sections = least(r->head.sections, LEDGER_SECTIONS_MAX);
    static const struct section_entry absent;

    for (uint32_t n = 0; n < sections; n++) {
        const struct section_entry *entry = &r->head.table[n];
        int err;

        if (!allowed[n].name || memcmp(entry, &absent, sizeof(absent)) == 0)
            continue;
        err = check_entry(entry, n, r->head.header_size, why);
        if (err)
            return err;
        r->sections[n] = (struct reader_section){
            .offset = entry->offset,
            .record_size = entry->record_size,
            .capacity = least(entry->capacity, allowed[n].capacity),
            .count = readable(r, entry, &allowed[n]),
            .used = entry->used,
        };
    }
    return 0;
}

int reader_init(struct reader *reader, const void *bytes, size_t size, struct why *why)
{
    int err = check_start(bytes, size, why);

    memset(reader, 0, sizeof(*reader));
    if (err)
        return err;
    reader->bytes = bytes;
    reader->size = size;
    copy_out(&reader->head, bytes, sizeof(reader->head));
    reader->cut = reader->head.file_size > size;
    err = check_header(&reader->head, why);
    if (!err)
        err = check_sections(reader, why);
    if (err)
        memset(reader->sections, 0, sizeof(reader->sections));
    return err;
}

/* ---- records ---- */

/* The record's address, or NULL. */
static const uint8_t *record_at(const struct reader *r, enum section section, uint64_t index)
{
    const struct reader_section *s;

    if ((unsigned)section >= LEDGER_SECTIONS_MAX)
        return NULL;
    s = &r->sections[section];
    return index < s->count ? r->bytes + s->offset + index * s->record_size : NULL;
}

uint64_t reader_count(const struct reader *reader, enum section section)
{
    return (unsigned)section < LEDGER_SECTIONS_MAX ? reader->sections[section].count : 0;
}

bool reader_get(const struct reader *reader, enum section section, uint64_t index, void *out,
                size_t size)
{
    const uint8_t *from = record_at(reader, section, index);
    size_t have;

    if (!from)
        return false;
    have = least(size, reader->sections[section].record_size);
    copy_out(out, from, have);
    if (have < size)
        memset((char *)out + have, 0, size - have);
    return true;
}

bool reader_get_keyed(const struct reader *reader, enum section section, uint64_t index, void *out,
                      size_t size)
{
    const uint8_t *from = record_at(reader, section, index);
    uint64_t before, after;

    for (unsigned tries = 0; from && tries < HOLD_TRIES; tries++) {
        copy_out(&before, from, sizeof(before));
        if (before == 0)
            return false;
        if (!reader_get(reader, section, index, out, size))
            return false;
        copy_out(&after, from, sizeof(after));
        if (before == after) {
            memcpy(out, &before, least(size, sizeof(before)));
            return true;
        }
    }
    return false;
}

uint64_t reader_used_now(const struct reader *reader, enum section section)
{
    uint64_t used = 0;

    if (reader_count(reader, section) > 0)
        copy_out(&used,
                 reader->bytes + offsetof(struct ledger_header, table) +
                     (size_t)section * sizeof(struct section_entry) +
                     offsetof(struct section_entry, used),
                 sizeof(used));
    return used;
}

const char *reader_string(const struct reader *reader, uint32_t id, size_t *length)
{
    const struct reader_section *s = &reader->sections[SECTION_strings];
    uint64_t there;
    const uint8_t *from;
    uint32_t size;

    if (id == 0 || id > s->count || s->record_size != sizeof(struct string_unit))
        return NULL;
    from = reader->bytes + s->offset + (uint64_t)(id - 1) * s->record_size;
    there = (s->count - (id - 1)) * s->record_size;
    copy_out(&size, from, sizeof(size));
    if (size > there - sizeof(size))
        return NULL;
    *length = size;
    return (const char *)from + sizeof(size);
}
