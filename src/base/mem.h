/* mem.h - all heap memory outside the probe comes from here; a test can make the n-th request
 * fail. */
#ifndef TARE_BASE_MEM_H
#define TARE_BASE_MEM_H

#include <stddef.h>

/* Zeroed memory, or NULL. The caller frees it with mem_free(). */
void *mem_zalloc(size_t size);
void *mem_zalloc_array(size_t count, size_t size);

/* Resizes `old` (NULL: a fresh block) to count * size; NULL leaves `old` as it was. */
void *mem_resize(void *old, size_t count, size_t size);

/* A copy of `length` bytes, with a terminator added. */
char *mem_copy_text(const char *text, size_t length);

void mem_free(void *block); /* accepts NULL */

/* The n-th request from now on, counted from 1, fails, once. 0: none does. */
void mem_fail_at(unsigned long n);

#endif /* TARE_BASE_MEM_H */
