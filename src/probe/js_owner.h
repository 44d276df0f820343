/* js_owner.h - whose a script is, by its name: the user's, a framework's, or nobody's that matters. */
#ifndef TARE_PROBE_JS_OWNER_H
#define TARE_PROBE_JS_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "probe/stack_js.h"

static inline bool js_is_adapter(const char *file)
{
    return strstr(file, "/node/engine.cjs") || strstr(file, "/node/native_tensors.cjs") ||
           strstr(file, "/node/late_tensors.cjs") || strstr(file, "/node/device_tensors.cjs") ||
           strstr(file, "/node/dispose.cjs") || strstr(file, "/node/tare.cjs") ||
           strstr(file, "/node/onnx.cjs") || strstr(file, "/node/replace.cjs");
}

/* What a framework does after a wait has no frame of the user's on its stack. */
static inline uint32_t js_whose(const char *file)
{
    const bool path = file[0] == '/' || strncmp(file, "file://", 7) == 0;

    if (strstr(file, "/node_modules/"))
        return strstr(file, "/@tensorflow/") || strstr(file, "/onnxruntime-") ? JS_FRAMEWORK : 0;
    return path && !js_is_adapter(file) ? JS_USER : 0;
}

#endif /* TARE_PROBE_JS_OWNER_H */
