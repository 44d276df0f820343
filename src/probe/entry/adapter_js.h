/* adapter_js.h - what the probe does for the adapter of JavaScript, and for devices. adapter_abi.h says what
 * each call is for.
 */
#ifndef TARE_PROBE_ADAPTER_JS_H
#define TARE_PROBE_ADAPTER_JS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tare_frame;

bool adapter_js_heap(uint64_t *used, uint64_t *external);
bool adapter_js_quiet(bool on);

uint32_t adapter_js_stack(void);
void adapter_js_born(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight, uint32_t stack);
bool adapter_js_died(uint64_t number);
void adapter_js_held(uint64_t number, uint32_t holder);
uint32_t adapter_js_objects(uint32_t site, const struct tare_frame *frames, uint32_t count, uint64_t bytes);
void adapter_js_launch(void);
void adapter_js_keep_script(uint32_t script, const char *name, const char *text, size_t size);

bool adapter_js_interrupt_begin(void);
void adapter_js_interrupt_end(void);
void adapter_js_worker_over(uint64_t first, uint64_t latest);

void adapter_sync_begin(void);
void adapter_sync_end(void);

/* In a new process: what the adapter had begun in the parent is forgotten. */
void adapter_js_forked(void);

#endif /* TARE_PROBE_ADAPTER_JS_H */
