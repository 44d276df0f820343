/* adapter_files.h - which scripts belong to tare's Node adapter; none of their lines is the
 * program's. */
#ifndef TARE_BASE_ADAPTER_FILES_H
#define TARE_BASE_ADAPTER_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The folder has the same name wherever tare is installed. */
static inline bool adapter_file(const char *file)
{
    static const char *const ours[] = {
        "datasets.cjs", "device_tensors.cjs", "dispose.cjs", "engine.cjs",
        "late_tensors.cjs", "modules/tare/", "native_tensors.cjs", "objects.cjs",
        "onnx.cjs", "replace.cjs", "scripts.cjs", "tare.cjs", "users.cjs"};
    static const char folder[] = "/node/";

    for (const char *at = strstr(file, folder); at; at = strstr(at + 1, folder))
        for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
            if (strncmp(at + sizeof(folder) - 1, ours[i], strlen(ours[i])) == 0)
                return true;
    return false;
}

#endif /* TARE_BASE_ADAPTER_FILES_H */
