/* js_owner.h - classifies a script by its path: the user's, a framework's, or other. */
#ifndef TARE_PROBE_JS_OWNER_H
#define TARE_PROBE_JS_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/adapter_files.h"

/* Whose frames are among those of a walk, one bit each. */
enum js_frames { JS_USER = 1, JS_FRAMEWORK = 2 };

/* What a framework does after a wait has no frame of the user's on its stack. */
static inline uint32_t js_whose(const char *file)
{
    const bool path = file[0] == '/' || strncmp(file, "file://", 7) == 0;

    if (strstr(file, "/node_modules/"))
        return strstr(file, "/@tensorflow/") || strstr(file, "/onnxruntime-") ? JS_FRAMEWORK : 0;
    return path && !adapter_file(file) ? JS_USER : 0;
}

#endif /* TARE_PROBE_JS_OWNER_H */
