/* keeping.h - what a leaking library offers. */
#include <stddef.h>

size_t keeping_read(const char *text, size_t size);
char *keeping_make(const char *text, size_t size); /* the caller releases it */
