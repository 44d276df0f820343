/* runtimes.c - see runtimes.h. */
#include "doctor/runtimes.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/python_path.h"

static const char *const modules[] = {
#define RUNTIME(name, says) name,
#include "doctor/runtimes.def"
#undef RUNTIME
};

/* The allocating functions themselves, and what C++ mangles of `std` and `__gnu_cxx`. */
static const char *const names[] = {
    "malloc",         "calloc",        "realloc",  "reallocarray",
    "posix_memalign", "aligned_alloc", "memalign", "valloc",
    "pvalloc",        "strdup",        "strndup",  "mmap",
    "mmap64",         "mremap",        "_start",   "__libc_start_main",
};
static const char *const prefixes[] = {
    "_Znw",   "_Zna",  "_ZSt",   "_ZNSt",         "_ZNKSt",         "_ZNSa",
    "_ZNKSa", "_ZNSs", "_ZNKSs", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "__libc_start_",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool runtimes_module(const char *base_name)
{
    for (size_t i = 0; i < COUNT(modules); i++) {
        const size_t length = strlen(modules[i]);
        const char next = strncmp(base_name, modules[i], length) == 0 ? base_name[length] : 'x';

        if (next == 0 || next == '.' || next == '-' || isdigit((unsigned char)next))
            return true;
    }
    return false;
}

bool runtimes_function(const char *linkage, const char *file)
{
    if (file && (strstr(file, "/include/c++/") || strstr(file, "/libstdc++-v3/")))
        return true;
    for (size_t i = 0; linkage && i < COUNT(names); i++)
        if (strcmp(linkage, names[i]) == 0)
            return true;
    for (size_t i = 0; linkage && i < COUNT(prefixes); i++)
        if (strncmp(linkage, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool runtimes_python(const char *file)
{
    return python_path_is_library(file);
}

bool runtimes_adapter(const char *file)
{
    static const char *const parts[] = {"/node/engine.cjs",  "/node/native_tensors.cjs",
                                        "/node/late_tensors.cjs", "/node/device_tensors.cjs",
                                        "/node/tare.cjs",    "/node/objects.cjs",
                                        "/node/dispose.cjs", "/node/onnx.cjs",
                                        "/node/replace.cjs", "/node/modules/tare/"};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strstr(file, parts[i]))
            return true;
    return false;
}

/* What the engine runs of its own has no path: "node:internal/…", "wasm://…", "evalmachine.<…>". */
bool runtimes_script(const char *file)
{
    const bool path = file[0] == '/' || strncmp(file, "file://", 7) == 0;

    return !path || strstr(file, "/node_modules/") || runtimes_adapter(file);
}
