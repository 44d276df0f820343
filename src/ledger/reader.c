/* reader.c - see reader.h. Nothing is allocated; every number is checked in the copy that is used.
 */
#include "ledger/reader.h"

#include <string.h>

#include "ledger/version1.h"

#define HOLD_TRIES 4

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

/* Copies bytes that may change at any time. Each is loaded once, so that what is checked is what is
 * used, and in order: what is copied later is at least as new. Pairs with the writer's release
 * stores. */
void reader_copy(void *to, const uint8_t *from, size_t size)
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
    reader_copy(magic, bytes, have);
    if (size >= LEDGER_HEADER_SIZE && memcmp(magic, none, magic_size) == 0)
        return fail(why, ERR_ABSENT, "the ledger is not begun yet, or its program ended first");
    if (memcmp(magic, LEDGER_MAGIC, have) != 0)
        return fail(why, ERR_FORMAT, "not a ledger: the first %zu bytes are not its mark", have);
    if (size < LEDGER_HEADER_SIZE)
        return fail(why, ERR_TRUNCATED, "cut at byte %zu, inside the header of %d bytes", size,
                    LEDGER_HEADER_SIZE);
    return 0;
}

/* `least_size`: bytes of a header of its version. */
static int check_header(const struct ledger_header *head, size_t least_size, struct why *why)
{
    if (head->version > LEDGER_VERSION)
        return fail(
            why, ERR_VERSION,
            "written in ledger version %u; this tare knows versions up to %u: use a newer tare",
            head->version, LEDGER_VERSION);
    if (head->version == 0)
        return fail(why, ERR_FORMAT, "the header names ledger version 0, which never existed");
    if (head->header_size < least_size || head->header_size % 8 != 0)
        return fail(why, ERR_FORMAT, "the header claims %u bytes; it has at least %zu",
                    head->header_size, least_size);
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
        entry->record_size > READER_RECORD_MAX)
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

/* How many records may be read: those published and on the disk. Of rings and levels all that are
 * allowed, because their own counters say what is there and may change; never more than the file
 * has. */
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

static int check_section(struct reader *r, uint32_t n, struct why *why)
{
    static const struct section_entry absent;
    const struct section_entry *entry = &r->head.table[n];
    int err;

    if (!allowed[n].name || memcmp(entry, &absent, sizeof(absent)) == 0)
        return 0;
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
    return 0;
}

/* What an older version lacks, made of what it has. */
static int add_sections(struct reader *r, struct why *why)
{
    struct level_record level;

    if (r->head.version != VERSION1 ||
        !reader_get(r, SECTION_step_levels, 0, &level, sizeof(level)))
        return 0;
    version1_add_sections(&r->head, &level);
    return check_section(r, SECTION_devices, why);
}

static int check_sections(struct reader *r, struct why *why)
{
    const uint64_t sections = least(r->head.sections, LEDGER_SECTIONS_MAX);
    int err = 0;

    for (uint32_t n = 0; n < sections && !err; n++)
        err = check_section(r, n, why);
    return err ? err : add_sections(r, why);
}

/* Copies the header, in today's form; the bytes that one of its version has at least. */
static size_t read_header(struct reader *r)
{
    uint64_t page[LEDGER_HEADER_SIZE / sizeof(uint64_t)];
    struct version1_header old;

    reader_copy(page, r->bytes, sizeof(page));
    memcpy(&r->head, page, sizeof(r->head));
    r->table_at = offsetof(struct ledger_header, table);
    if (r->head.version != VERSION1)
        return sizeof(r->head);
    old = version1_header(&r->head, page);
    r->table_at = old.table_at;
    return old.size;
}

int reader_init(struct reader *reader, const void *bytes, size_t size, struct why *why)
{
    int err = check_start(bytes, size, why);
    size_t least_size;

    memset(reader, 0, sizeof(*reader));
    if (err)
        return err;
    reader->bytes = bytes;
    reader->size = size;
    least_size = read_header(reader);
    reader->cut = reader->head.file_size > size;
    err = check_header(&reader->head, least_size, why);
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

/* How records of this section are converted; NULL: they are as this tare writes them. */
static const struct version1_record *older(const struct reader *r, enum section section)
{
    return r->head.version == VERSION1 ? version1_record(section) : NULL;
}

size_t reader_record_size(const struct reader *reader, enum section section)
{
    const struct version1_record *old = older(reader, section);

    if (reader_count(reader, section) == 0)
        return 0;
    return old ? old->size : reader->sections[section].record_size;
}

static uint32_t kind_of(const void *reader, uint32_t site)
{
    uint64_t key;

    return site > 0 && reader_get_keyed(reader, SECTION_sites, site - 1, &key, sizeof(key))
               ? (uint32_t)(key & 0xff)
               : 0;
}

/* Copies what is there of a record and fills the rest with zeros. */
static void copy_record(void *out, size_t size, const uint8_t *from, size_t there)
{
    const size_t have = least(size, there);

    reader_copy(out, from, have);
    if (have < size)
        memset((char *)out + have, 0, size - have);
}

bool reader_get(const struct reader *reader, enum section section, uint64_t index, void *out,
                size_t size)
{
    const uint8_t *from = record_at(reader, section, index);
    const struct version1_record *old = older(reader, section);
    const struct version1_sites sites = {kind_of, reader};
    uint64_t before[VERSION1_RECORD_MAX / 8], after[VERSION1_RECORD_MAX / 8];

    if (!from)
        return false;
    if (!old) {
        copy_record(out, size, from, reader->sections[section].record_size);
        return true;
    }
    copy_record(before, old->old_size, from, reader->sections[section].record_size);
    old->convert(after, before, &sites);
    copy_record(out, size, (const uint8_t *)after, old->size);
    return true;
}

bool reader_get_keyed(const struct reader *reader, enum section section, uint64_t index, void *out,
                      size_t size)
{
    const uint8_t *from = record_at(reader, section, index);
    uint64_t before, after;

    for (unsigned tries = 0; from && tries < HOLD_TRIES; tries++) {
        reader_copy(&before, from, sizeof(before));
        if (before == 0)
            return false;
        if (!reader_get(reader, section, index, out, size))
            return false;
        reader_copy(&after, from, sizeof(after));
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
        reader_copy(&used,
                 reader->bytes + reader->table_at + (size_t)section * sizeof(struct section_entry) +
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
    reader_copy(&size, from, sizeof(size));
    if (size > there - sizeof(size))
        return NULL;
    *length = size;
    return (const char *)from + sizeof(size);
}
