/* strip.c - see strip.h.
 *
 * Sections are written one after the other, each only as far as it is used. The records of the history
 * have fixed positions, so this section comes last and ends after its last record.
 */
#include "doctor/verbs/strip.h"

#include <string.h>

#include "base/mem.h"
#include "base/secret.h"
#include "doctor/verbs/redact.h"
#include "ledger/reader.h"

static const enum section_shape shapes[LEDGER_SECTIONS_MAX] = {
#define SECTION(number, name, record, shape, capacity, start, says) [number] = SHAPE_##shape,
#include "ledger/sections.def"
#undef SECTION
};

struct work {
    const struct reader *reader; /* of the original */
    struct text *out;            /* the copy */
    struct ledger_header head;   /* of the copy; written at the end */
    char *record;             /* room for one record */
};

/* Records of an older version are written in the current form. */
static void put_section(struct work *work, uint32_t number, uint64_t count)
{
    const size_t size = reader_record_size(work->reader, (enum section)number);
    struct section_entry *entry = &work->head.table[number];

    entry->offset = work->out->length;
    entry->taken = count;
    entry->record_size = (uint32_t)size;
    for (uint64_t i = 0; i < count; i++)
        if (reader_get(work->reader, (enum section)number, i, work->record, size))
            text_add(work->out, work->record, size);
}

/* A ring that is not full yet has unused records at its end. */
static uint64_t records_of(const struct work *work, uint32_t number)
{
    const struct reader_section *from = &work->reader->sections[number];
    const uint64_t used = from->used < from->count ? from->used : from->count;

    return shapes[number] == SHAPE_RING ? used : from->count;
}

static void put_sections(struct work *work)
{
    uint32_t history = 0;

    for (uint32_t n = 1; n < LEDGER_SECTIONS_MAX; n++) {
        const uint64_t count = records_of(work, n);
        struct section_entry *entry = &work->head.table[n];

        if (n >= work->head.sections || count == 0 || entry->taken == 0) {
            *entry = (struct section_entry){0};
        } else if (shapes[n] == SHAPE_LEVELS) {
            history = n;
        } else {
            /* A ring that wrapped around keeps its size: the position of record n is n modulo the size. */
            if (shapes[n] == SHAPE_RING && entry->used <= count)
                entry->capacity = count;
            else if (shapes[n] != SHAPE_RING)
                entry->capacity = count;
            put_section(work, n, count);
        }
    }
    if (history) {
        const uint64_t taken = work->head.table[history].taken;
        const uint64_t there = work->reader->sections[history].count;

        put_section(work, history, taken < there ? taken : there);
    }
}

/* ---- texts ---- */

enum text_sort { TEXT_NAME = 0, TEXT_SENTENCE = 1 };

/* Marks the string with this id as a sentence; all others are names or paths. */
static void mark(uint8_t *sorts, uint64_t count, uint32_t id)
{
    if (id > 0 && id <= count)
        sorts[id - 1] = TEXT_SENTENCE;
}

static void mark_sentences(const struct reader *reader, uint8_t *sorts, uint64_t count)
{
    struct note_record note;
    struct process_record process;

    for (uint64_t i = 0; i < reader_count(reader, SECTION_notes); i++)
        if (reader_get(reader, SECTION_notes, i, &note, sizeof(note)))
            mark(sorts, count, note.text);
    for (uint64_t i = 0; i < reader_count(reader, SECTION_processes); i++)
        if (reader_get(reader, SECTION_processes, i, &process, sizeof(process)))
            mark(sorts, count, process.untraced);
    mark(sorts, count, reader->head.off_reason);
}

static void redact_text(char *text, size_t length, enum text_sort sort)
{
    if (sort == TEXT_SENTENCE)
        redact_sentence(text, length);
    else
        redact_path(text, length);
}

/* In the copy, texts follow each other, each after its length. */
static int redact_texts(struct work *work, struct why *why)
{
    const struct section_entry *entry = &work->head.table[SECTION_strings];
    const uint64_t units = entry->taken;
    uint8_t *sorts = mem_zalloc_array(units + 1, 1);
    uint64_t at = 0;

    if (!sorts)
        return fail(why, ERR_NOMEM, "no memory to redact %llu texts", (unsigned long long)units);
    mark_sentences(work->reader, sorts, units);
    while (at < units) {
        char *unit = work->out->bytes + entry->offset + at * sizeof(struct string_unit);
        const uint64_t room = (units - at) * sizeof(struct string_unit) - sizeof(uint32_t);
        uint32_t length;

        memcpy(&length, unit, sizeof(length));
        if (length > room)
            length = (uint32_t)room;
        redact_text(unit + sizeof(length), length, sorts[at]);
        at += (sizeof(length) + (uint64_t)length + sizeof(struct string_unit)) /
              sizeof(struct string_unit);
    }
    mem_free(sorts);
    return 0;
}

/* Masks secrets in a command line that an older tare recorded. The text keeps its length, which leads to the
 * next text. */
static void mask_command(struct work *work)
{
    const struct section_entry *entry = &work->head.table[SECTION_strings];
    const uint64_t at = (uint64_t)(work->head.command - 1) * sizeof(struct string_unit);
    const uint64_t size = entry->taken * sizeof(struct string_unit);
    uint32_t length, used;
    char *unit;

    if (work->head.command == 0 || size < sizeof(length) || at > size - sizeof(length))
        return;
    unit = work->out->bytes + entry->offset + at;
    memcpy(&length, unit, sizeof(length));
    if (length > size - at - sizeof(length))
        return;
    used = (uint32_t)secret_mask(unit + sizeof(length), length, ' ');
    memset(unit + sizeof(length) + used, ' ', length - used);
}

int strip_ledger(struct text *out, const void *bytes, size_t size, bool redact, struct why *why)
{
    struct reader reader;
    struct work work = {.reader = &reader, .out = out};
    char page[LEDGER_HEADER_SIZE] = {0};
    int err = reader_init(&reader, bytes, size, why);

    if (err)
        return err;
    work.head = reader.head;
    work.head.version = LEDGER_VERSION;
    work.head.sections = LEDGER_SECTIONS_MAX;
    work.head.header_size = LEDGER_HEADER_SIZE;
    text_add(out, page, sizeof(page));
    work.record = mem_zalloc(READER_RECORD_MAX);
    if (work.record)
        put_sections(&work);
    mem_free(work.record);
    if (!work.record || out->failed)
        return fail(why, ERR_NOMEM, "no memory for a small copy of %zu bytes", size);
    work.head.file_size = out->length;
    mask_command(&work);
    if (redact)
        err = redact_texts(&work, why);
    memcpy(out->bytes, &work.head, sizeof(work.head));
    return err;
}
