/* reader.h - read the records of a ledger whose every byte is hostile.
 *
 * The bytes may be cut off, torn, forged, or changing while the program runs. Nothing is
 * allocated, nothing is trusted: offsets, counts and strings are checked against the size given,
 * and records are copied out, so that what was checked is what is used.
 */
#ifndef TARE_LEDGER_READER_H
#define TARE_LEDGER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ledger/layout.h"

#define READER_RECORD_MAX (64u * 1024u) /* bytes; longer records are refused */

struct reader_section {
    uint64_t offset;
    uint32_t record_size; /* as written; another tare may have made records longer or shorter */
    uint64_t capacity;    /* as written, but never more than sections.def allows */
    uint64_t count;       /* records that may be read; 0: the section is absent */
    uint64_t used;        /* as written, for rings */
};

struct reader {
    const uint8_t *bytes; /* borrowed for the reader's life */
    uint64_t size;
    uint64_t table_at; /* where the section table begins in the bytes */
    bool cut;                                            /* the file is shorter than it says */
    struct ledger_header head;                           /* a checked copy */
    struct reader_section sections[LEDGER_SECTIONS_MAX]; /* by section number */
};

/* Refuses what is not a ledger of a version we know. One of an older version is converted as it is read: head
 * and records are in today's form. A cut file is read as far as it goes.
 * ERR_ABSENT: the file is there, but its writer has not begun it, or never came to. */
int reader_init(struct reader *reader, const void *bytes, size_t size, struct why *why);

uint64_t reader_count(const struct reader *reader, enum section section);

/* Bytes of a record of this section as reader_get gives it; 0: the section is absent. */
size_t reader_record_size(const struct reader *reader, enum section section);

/* Copies a record into out[size]; what an older ledger lacks is zero. False: there is none. */
bool reader_get(const struct reader *reader, enum section section, uint64_t index, void *out,
                size_t size);

/* The same, for a record that begins with its atomic key and may be changing: what is copied was
 * written under one nonzero key. False also when the slot is free or does not hold still. */
bool reader_get_keyed(const struct reader *reader, enum section section, uint64_t index, void *out,
                      size_t size);

/* Copies bytes that may change at the same time: each is loaded once, in order. */
void reader_copy(void *out, const uint8_t *from, size_t size);

/* `used` of a section as it is now, not as it was when the reader began. */
uint64_t reader_used_now(const struct reader *reader, enum section section);

/* The text of a string id, borrowed, not terminated; NULL for 0 and for a forged id. */
const char *reader_string(const struct reader *reader, uint32_t id, size_t *length);

#endif /* TARE_LEDGER_READER_H */
