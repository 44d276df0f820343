/* arena.h - allocate many small things and free them all at once. */
#ifndef TARE_BASE_ARENA_H
#define TARE_BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void); /* NULL: no memory */
void arena_free(struct arena *arena);

/* Zeroed, aligned to 16, valid until arena_free. NULL: no memory; arena_failed() is true from then
 * on. */
void *arena_take(struct arena *arena, size_t count, size_t size);
char *arena_text(struct arena *arena, const char *text, size_t length);
char *arena_print(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True once any request was refused: callers may check once, at the end. */
int arena_failed(const struct arena *arena);

#endif /* TARE_BASE_ARENA_H */
