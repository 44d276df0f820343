/* runtimes.c - see runtimes.h. */
#include "doctor/facts/runtimes.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/adapter_files.h"
#include "base/python_path.h"
#include "base/text.h"

static const char *const modules[] = {
#define RUNTIME(name, says) name,
#include "doctor/facts/runtimes.def"
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

static bool is_one_of(const char *base_name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list[i]);
        const char next = strncmp(base_name, list[i], length) == 0 ? base_name[length] : 'x';

        if (next == 0 || next == '.' || next == '-' || isdigit((unsigned char)next))
            return true;
    }
    return false;
}

bool runtimes_interpreter(const char *base_name)
{
    const char *at = text_begins(base_name, "lib") ? base_name + 3 : base_name;

    if (!text_begins(at, "python"))
        return false;
    at += strlen("python");
    while (isdigit((unsigned char)*at) || *at == '.')
        at++;
    return *at == 0 || text_is(at, "so") || text_begins(at, "so.");
}

bool runtimes_module(const char *base_name)
{
    return is_one_of(base_name, modules, COUNT(modules));
}

bool runtimes_foreign(const char *base_name)
{
    static const char *const foreign[] = {"libffi", "_ctypes", "_cffi_backend"};

    return is_one_of(base_name, foreign, COUNT(foreign));
}

bool runtimes_installed(const char *path)
{
    static const char *const begin[] = {"/lib/",   "/lib32/",     "/lib64/",
                                        "/usr/lib", "/usr/local/lib", "/opt/",
                                        "/nix/store/"};

    for (size_t i = 0; i < COUNT(begin); i++)
        if (text_begins(path, begin[i]))
            return true;
    return python_path_is_library(path) || text_has(path, "/node_modules/");
}

bool runtimes_function(const char *linkage, const char *file)
{
    if (text_has(file, "/include/c++/") || text_has(file, "/libstdc++-v3/"))
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

/* What the engine runs of its own has no path: "node:internal/…", "wasm://…", "evalmachine.<…>". */
bool runtimes_script(const char *file)
{
    const bool path = file[0] == '/' || text_begins(file, "file://");

    return !path || text_has(file, "/node_modules/") || adapter_file(file);
}
