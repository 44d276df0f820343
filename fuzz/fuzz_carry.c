/* fuzz_carry.c - whatever a program file holds, it is judged by a bounded number of reads inside
 * it. */
#include "promise.h"

#include <stdlib.h>
#include <string.h>

#include "base/carry.h"

struct file {
    const uint8_t *bytes;
    size_t size;
    unsigned reads;
};

static long read_file(void *from, void *bytes, size_t size, uint64_t offset)
{
    struct file *file = from;

    file->reads++;
    if (offset >= file->size)
        return 0;
    size = size < file->size - offset ? size : file->size - (size_t)offset;
    memcpy(bytes, file->bytes + offset, size);
    return (long)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct file file = {.bytes = bytes, .size = size};
    const size_t length = size < CARRY_HEAD ? size : CARRY_HEAD;
    char head[CARRY_HEAD + 1];
    const enum carry carry = carry_elf(read_file, &file);

    PROMISE(carry < CARRY_REASONS);
    PROMISE((carry == CARRY_YES) == (carry_why(carry) == NULL));
    PROMISE(file.reads < 5000);
    memcpy(head, bytes, length);
    if (carry_form(head, length) == FORM_SCRIPT)
        PROMISE(strlen(carry_interpreter(head, length)) <= CARRY_HEAD);
    (void)carry_is_sanitizer((const char *)bytes, size);
    return 0;
}
