/* pieces.h - a ledger's file in memory, as far as room was taken in it.
 *
 * The file is laid out for tables of their full size, most of which no process ever needs. Address
 * space that is only reserved counts against RLIMIT_AS, and against RLIMIT_MEMLOCK when a program
 * calls mlockall. So a section is mapped page by page as room is taken: at its place in the file,
 * counted from where the header lies, in a range of addresses that is probably unused. A mapping of
 * the program is never replaced: if one is in the way the section is full.
 */
#ifndef TARE_LEDGER_PIECES_H
#define TARE_LEDGER_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/layout.h"

#define LEDGER_PIECES LEDGER_SECTIONS_MAX /* by the section's number; 0 is the header */

/* How much of one ledger's file is mapped. Every function but pieces_open needs `head`, the address of the
 * header, which pieces_open returned. */
struct pieces {
    uint64_t whole;                /* bytes of the file, if all of it is one map; 0: piece by piece */
    uint32_t pages[LEDGER_PIECES]; /* pages of each piece that are mapped */
};

/* Maps the header of the file behind `fd`, of `size` bytes, or all of it at once where `whole`: tare itself
 * guards its own ledger as one map (guard.h). Its address, or NULL: see errno. */
struct ledger_header *pieces_open(struct pieces *pieces, int fd, uint64_t size, bool whole);

/* Takes room for these bytes from the disk. 0, or an errno. */
int pieces_reserve(int fd, uint64_t offset, uint64_t length);

/* Maps the first `count` records of a section, whose room was taken already. False: refused. */
bool pieces_map(struct pieces *pieces, struct ledger_header *head, int fd,
                const struct section_entry *entry, uint64_t count);

/* The same without the file, which this process may no longer open: room is taken, and mapped,
 * through what is mapped already. Needs at least one record of the section there. False: refused;
 * nothing is lost. */
bool pieces_grow(struct pieces *pieces, struct ledger_header *head, const struct section_entry *entry,
                 uint64_t count);

/* Piece `index` of what is mapped now, from 0: its address and bytes, perhaps none. False: the last
 * has been seen. */
bool pieces_next(const struct pieces *pieces, struct ledger_header *head, unsigned index, void **start,
                 uint64_t *bytes);

void pieces_close(const struct pieces *pieces, struct ledger_header *head); /* unmaps them all */

#endif /* TARE_LEDGER_PIECES_H */
