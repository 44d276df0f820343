/* collect_js.h - has V8 make a full collection, as gently as it can. */
#ifndef TARE_PROBE_COLLECT_JS_H
#define TARE_PROBE_COLLECT_JS_H

#include <stdbool.h>

/* Once, before the others: false, V8 cannot be asked at all. */
bool collect_js_find(void);

/* The program has set the flag itself. */
void collect_js_exposed(void);

/* On the isolate's thread, at a moment at which it may be asked. */
void collect_js(void *isolate);

/* A collection begins on this thread. */
void collect_js_begins(void);

#endif /* TARE_PROBE_COLLECT_JS_H */
