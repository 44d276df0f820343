/* reader.h - read the records of a ledger whose every byte is hostile.
 *
 * The bytes may be cut off, torn, forged, or changing under us while the program runs. Nothing is
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

struct reader_section {
    uint64_t offset;
    uint32_t record_size; /* as written; a newer tare may have made records longer */
    uint64_t count;       /* records that may be asked for; 0: the section is absent */
    uint64_t used;        /* as written, for rings */
};

struct reader {
    const uint8_t *bytes; /* borrowed for the reader's life */
    uint64_t size;
    struct ledger_header head;                           /* a checked copy */
    struct reader_section sections[LEDGER_SECTIONS_MAX]; /* by section number */
};

/* Refuses what is not a ledger of a version we know. A cut file is read as far as it goes. */
int reader_init(struct reader *reader, const void *bytes, size_t size, struct why *why);

uint64_t reader_count(const struct reader *reader, enum section section);

/* Copies a record into out[size]; what an older ledger lacks is zero. False: there is none. */
bool reader_get(const struct reader *reader, enum section section, uint64_t index, void *out,
                size_t size);

/* The text of a string id, borrowed, not terminated; NULL for 0 and for a forged id. */
const char *reader_string(const struct reader *reader, uint32_t id, size_t *length);

#endif /* TARE_LEDGER_READER_H */
