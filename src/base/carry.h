/* carry.h - can a program file carry the probe? The rules are in carry.def.
 *
 * `tare run` checks the program before it starts it; the probe checks each program that a traced
 * one starts. The probe calls this between fork and exec, in vfork children and in signal handlers,
 * so it uses no heap, no locks, no state, about a kilobyte of stack, and a bounded number of small
 * reads. No byte of the file is trusted.
 */
#ifndef TARE_BASE_CARRY_H
#define TARE_BASE_CARRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum carry {
    CARRY_YES = 0,
#define REASON(name, keeps, why) CARRY_##name,
#define SANITIZER_FUNCTION(name)
#define SANITIZER_WANTS(name)
#define SANITIZER_LIBRARY(name)
#include "base/carry.def"
#undef REASON
#undef SANITIZER_FUNCTION
#undef SANITIZER_WANTS
#undef SANITIZER_LIBRARY
    CARRY_REASONS
};

#define CARRY_HEAD 256 /* the kernel reads as many bytes to recognise a file */

/* Why it cannot, as words that follow the program's name. NULL: it can, or the number is unknown. */
const char *carry_why(unsigned reason);

/* It may be given the probe anyway: it takes no harm, and its children may carry it. */
bool carry_keeps(unsigned reason);

enum carry_form { FORM_ELF, FORM_SCRIPT, FORM_TEXT, FORM_OTHER };

/* What the first bytes of a file say; the kernel starts scripts and ELF files. */
enum carry_form carry_form(const char *head, size_t length);

/* The interpreter of a script, cut out in place. `head` has room for at least length + 1 bytes. */
const char *carry_interpreter(char *head, size_t length);

/* Reads at most `size` bytes at an offset: how many, or negative. */
typedef long carry_read(void *from, void *bytes, size_t size, uint64_t offset);

/* Examines an ELF file. A file that it does not understand is left to the kernel: CARRY_YES. */
enum carry carry_elf(carry_read *read, void *from);

/* Is this file, given by its path, the runtime of a sanitizer? */
bool carry_is_sanitizer(const char *path, size_t length);
/* Does this value of LD_PRELOAD name one? */
bool carry_preloads_sanitizer(const char *list);

#endif /* TARE_BASE_CARRY_H */
