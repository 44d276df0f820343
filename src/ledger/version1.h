/* version1.h - ledgers of version 1, converted to today's as they are read.
 *
 * Records of most sections are the same in both. Those that differ, and the header, are converted one by one;
 * the bytes are as hostile as any. Only reader.c knows of this.
 */
#ifndef TARE_LEDGER_VERSION1_H
#define TARE_LEDGER_VERSION1_H

#include <stddef.h>

#include "ledger/layout.h"

#define VERSION1 1
#define VERSION1_RECORD_MAX 4096 /* no old record is longer, nor what it is converted to */

/* Where a record's site is looked up: its kind, by index + 1; 0: there is none. */
struct version1_sites {
    uint32_t (*kind_of)(const void *reader, uint32_t site);
    const void *reader;
};

struct version1_record {
    uint32_t old_size, size; /* bytes of a record then and now */
    void (*convert)(void *out, const void *old, const struct version1_sites *sites);
};

/* NULL: records of this section are as they were. */
const struct version1_record *version1_record(enum section section);

struct version1_header {
    size_t size;     /* the least that such a header may claim */
    size_t table_at; /* where its section table begins */
};

/* From a copy of the first LEDGER_HEADER_SIZE bytes. */
struct version1_header version1_header(struct ledger_header *head, const void *page);

/* Adds the sections that version 1 did not have. `level`: the first of the steps' levels. What is added is as
 * hostile as the rest. */
void version1_add_sections(struct ledger_header *head, const struct level_record *level);

#endif /* TARE_LEDGER_VERSION1_H */
