/* pieces.h - a small run directory: pieces of its files, with zeros between them.
 *
 * A piece is a file's number, an offset and a length (each 4 bytes, little-endian) and the bytes. A
 * piece of length 0 sets the size of the file. fuzz/make-runs writes them.
 */
#ifndef TARE_FUZZ_PIECES_H
#define TARE_FUZZ_PIECES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PIECE_FILES  8 /* run.tare, three ledgers, and other files of a run */
#define PIECE_HEADER 12
#define PIECE_END    (64u << 20) /* no file is larger */

struct piece {
    unsigned file;
    uint32_t offset;
    size_t length;
    const uint8_t *bytes; /* borrowed from the input */
};

/* The next piece at `*at`. False: there is none. Numbers that are too large are reduced. */
static inline bool piece_next(const uint8_t *bytes, size_t size, size_t *at, struct piece *out)
{
    uint32_t words[3];

    if (size - *at < PIECE_HEADER)
        return false;
    memcpy(words, bytes + *at, sizeof(words));
    *at += PIECE_HEADER;
    out->file = words[0] % PIECE_FILES;
    out->offset = words[1] % PIECE_END;
    out->length = words[2] < size - *at ? words[2] : size - *at;
    out->bytes = bytes + *at;
    *at += out->length;
    return true;
}

#endif /* TARE_FUZZ_PIECES_H */
