/* fuzz_carry.c - whatever a program file contains, a bounded number of reads inside it decides. */
#include "promise.h"

#include <stdlib.h>
#include <string.h>

#include "../tests/lib/counted_file.h"
#include "base/carry.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct counted_file file = {.bytes = bytes, .size = size};
    const size_t length = size < CARRY_HEAD ? size : CARRY_HEAD;
    char head[CARRY_HEAD + 1];
    const enum carry carry = carry_elf(counted_file_read, &file);

    PROMISE(carry < CARRY_REASONS);
    PROMISE((carry == CARRY_YES) == (carry_why(carry) == NULL));
    PROMISE(file.reads < 5000);
    memcpy(head, bytes, length);
    if (carry_form(head, length) == FORM_SCRIPT)
        PROMISE(strlen(carry_interpreter(head, length)) <= CARRY_HEAD);
    (void)carry_is_sanitizer((const char *)bytes, size);
    return 0;
}
