/* peek.h - a few numbers of a ledger that is being written, with small reads of its file.
 *
 * The file is not mapped, so one that is cut short does no harm. Every offset is checked before it is used.
 * Ledgers of older versions are not read: they are not being written.
 */
#ifndef TARE_DOCTOR_PEEK_H
#define TARE_DOCTOR_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"

/* Opens a ledger in this directory, without following a link and without waiting. -1: it cannot be opened. */
int peek_open(int directory, const char *name);

/* False: the file is shorter, or the offset is larger than any ledger. */
bool peek_at(int fd, uint64_t at, void *out, size_t size);

/* False: this is not a ledger of the present version, or its writer has not begun it. */
bool peek_head(int fd, struct ledger_header *head);

/* The offset of a section's records; 0: the section is missing or has another form. */
uint64_t peek_find(const struct ledger_header *head, enum section section, size_t record_size);

/* The memory of all devices of a process, at its last step. */
struct peek_devices {
    unsigned count;       /* devices; 0: none was seen */
    uint64_t used, taken; /* bytes, of all of them */
};

struct peek_devices peek_devices(int fd, const struct ledger_header *head);

#endif /* TARE_DOCTOR_PEEK_H */
