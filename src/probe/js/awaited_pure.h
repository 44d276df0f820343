/* awaited_pure.h - finds the functions that await the running one in the text that V8 prints of
 * a stack: lines as "async load (/app/main.js:5:18)" or "async /app/main.mjs:9:3", below those
 * of running functions. */
#ifndef TARE_PROBE_AWAITED_PURE_H
#define TARE_PROBE_AWAITED_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct awaited {
    const char *name, *file; /* in the text; the name is of its last part: not "Object.load" */
    size_t name_length, file_length;
    uint32_t line, column;
};

/* The next of them from *at on; false: there is none, and *at is the end. A last line that was cut off
 * is left out. */
bool awaited_next(const char **at, const char *end, struct awaited *out);

#endif /* TARE_PROBE_AWAITED_PURE_H */
