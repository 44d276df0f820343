/* counted_file.h - a file in memory that counts its reads, for the test and the fuzzer of base/carry.h. */
#ifndef TARE_TESTS_LIB_COUNTED_FILE_H
#define TARE_TESTS_LIB_COUNTED_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct counted_file {
    const uint8_t *bytes; /* borrowed */
    size_t size;          /* of the file */
    unsigned reads;       /* calls of counted_file_read so far */
};

/* A carry_read of a struct counted_file. */
static inline long counted_file_read(void *from, void *bytes, size_t size, uint64_t offset)
{
    struct counted_file *file = from;

    file->reads++;
    if (offset >= file->size)
        return 0;
    size = size < file->size - offset ? size : file->size - (size_t)offset;
    memcpy(bytes, file->bytes + offset, size);
    return (long)size;
}

#endif /* TARE_TESTS_LIB_COUNTED_FILE_H */
