/* writer.h - put records into a ledger, from inside the program.
 *
 * No heap, no stdio, no lock, no thread of its own. Room is taken from the disk before a page is
 * touched: a sparse map on a full disk would kill the host with SIGBUS. A refusal only means that
 * the table is full; the caller counts what it could not write (ledger_lose).
 */
#ifndef TARE_LEDGER_WRITER_H
#define TARE_LEDGER_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ledger/layout.h"
#include "ledger/pieces.h"

#define LEDGER_PATH_MAX 4096
#define LEDGER_NAME_MAX 64
#define LEDGER_SMALL_SHARE 8 /* a power of two */

struct ledger {
    struct ledger_header *head; /* the file in memory, as far as it is mapped; NULL: no ledger */
    uint64_t size;              /* of the file */
    struct pieces pieces;       /* how far it is mapped; with `taking` */
    bool detached;              /* atomic: its path means nothing any more (ledger_detach) */
    uint8_t appending;          /* atomic lock: one writer of the logs at a time */
    uint8_t taking;             /* atomic lock: one taker of room at a time */
    uint64_t refused;           /* atomic: when room was last refused, 0: never */
    uint64_t device, inode;     /* of the file, so that a path is never mistaken for another's */
    char path[LEDGER_PATH_MAX]; /* absolute; reopened for each chunk, no descriptor is kept */
};

/* What a new ledger says of itself. Strings may be NULL. */
struct ledger_identity {
    enum ledger_role role;
    uint32_t pid, parent_pid, generation;
    uint64_t run, rate;
    bool small; /* its tables and logs hold a LEDGER_SMALL_SHARE'th */
    const char *program, *command, *allocator;
};

/* "PID.GENERATION" + suffix, into name[LEDGER_NAME_MAX]. */
void ledger_name(char *name, uint32_t pid, uint32_t generation, const char *suffix);

/* Creates DIRECTORY/name, exclusively. `directory` is absolute, no link, and ours alone
 * (base/owned.h). On failure nothing is left behind. */
int ledger_create(struct ledger *ledger, const char *directory, const char *name,
                  const struct ledger_identity *identity, struct why *why);
void ledger_close(struct ledger *ledger); /* unmaps; the file stays */

struct section_entry *ledger_entry(const struct ledger *ledger, enum section section);
void *ledger_records(const struct ledger *ledger, enum section section); /* the first record */

/* Makes records 0..count-1 usable. False: refused, and counted as lost. */
bool ledger_take(struct ledger *ledger, enum section section, uint64_t count);

/* The program is about to become a user who may not open the file, or to leave for another root
 * directory: every section gets its first record now, so that later ones can be taken without the
 * file. `elsewhere`: the path will mean another file, or none. */
void ledger_detach(struct ledger *ledger, bool elsewhere);

/* Appends to a LOG: written, then published. Index + 1, or 0: full, or another writer is stuck. */
uint32_t ledger_append(struct ledger *ledger, enum section section, const void *record);

/* Copies a text in; its id, or 0 when it did not fit (counted). Long texts are cut at 4,000 bytes. */
uint32_t ledger_string(struct ledger *ledger, const char *text, size_t length);

/* The text with this id, terminated; NULL for 0. */
static inline const char *ledger_text(const struct ledger *ledger, uint32_t id)
{
    const struct string_unit *texts = ledger_records(ledger, SECTION_strings);

    return id ? (const char *)texts[id - 1].bytes + sizeof(uint32_t) : NULL;
}

/* Copies bytes into consecutive records of a LOG of 8-byte units. Index of the first + 1, or 0. */
uint32_t ledger_bytes(struct ledger *ledger, enum section section, const void *bytes, size_t size);

void ledger_note(struct ledger *ledger, uint64_t ordinal, const char *text);
void ledger_lose(struct ledger *ledger, enum lost_reason reason, uint64_t count);
void ledger_state(struct ledger *ledger, enum ledger_state state);

/* Size class of a block of this many usable bytes: four per octave to 64 KiB, then one. */
static inline unsigned ledger_class(uint64_t usable)
{
    const uint64_t size = usable < 16 ? 16 : usable;
    const unsigned log = 63u - (unsigned)__builtin_clzll(size);

    if (log < 16)
        return (log - 4) * 4 + (unsigned)((size >> (log - 2)) & 3);
    return log < 32 ? 48 + (log - 16) : 63;
}

/* block_record.grown, which stops at the most it can hold. */
static inline uint16_t ledger_grown(uint64_t times)
{
    return times < UINT16_MAX ? (uint16_t)times : UINT16_MAX;
}

/* The least number of usable bytes that belongs to this class. */
static inline uint64_t ledger_class_floor(unsigned class_index)
{
    if (class_index < 48)
        return (uint64_t)(4 + class_index % 4) << (class_index / 4 + 2);
    return 1ull << (class_index - 32);
}

#endif /* TARE_LEDGER_WRITER_H */
