/* adapter_js.h - the calls for the JavaScript adapter, which finds them by name (adapter_abi.h). */
#ifndef TARE_PROBE_ADAPTER_JS_H
#define TARE_PROBE_ADAPTER_JS_H

void adapter_js_forked(void); /* a new process: what its parent had begun is not its own */

#endif /* TARE_PROBE_ADAPTER_JS_H */
