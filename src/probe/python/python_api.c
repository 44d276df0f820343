/* python_api.c - see python_api.h. */
#include "probe/python/python_api.h"

#include <stdio.h>
#include <string.h>

#include "base/python_path.h"
#include "probe/python/python_loader.h"
#include "probe/unwind/module_place.h"
#include "probe/python/python_function.h"

#define VARIABLES_MOST 48 /* the most variables of a function that are examined */
#define TEXT_MAX 1024
#define FILE_INPUT 257 /* Py_file_input */

bool python_api_soon(const struct python *python, int (*call)(void *))
{
    int (*add)(int (*)(void *), void *);

    memcpy(&add, &python->symbols.add_pending, sizeof(add));
    return add && add(call, NULL) == 0;
}

/* ---- functions ---- */

static size_t text_of(const struct python *python, uintptr_t at, char text[TEXT_MAX])
{
    const size_t length = python_text(python, python_word(at), text, TEXT_MAX - 1);

    text[length] = 0;
    return length;
}

static bool read_loops(const struct python *python, uintptr_t code, struct loop_code *out)
{
    void *(*attribute)(void *, const char *) = NULL;
    void (*release)(void *) = NULL;
    void (*clear)(void) = NULL;
    long (*number)(void *) = NULL;
    void *bytes, *variables;
    bool known = false;
    long count;

    if (!python_function(PYTHON_PyObject_GetAttrString, &attribute) ||
        !python_function(PYTHON_PyLong_AsLong, &number) ||
        !python_function(PYTHON_Py_DecRef, &release) ||
        !python_function(PYTHON_PyErr_Clear, &clear))
        return false;
    bytes = attribute((void *)code, "co_code");
    if (bytes && python_word((uintptr_t)bytes + PYTHON_TYPE) == python->symbols.bytes_type)
        known = loops_read((const uint8_t *)bytes + PYTHON_BYTES,
                           python_word((uintptr_t)bytes + PYTHON_SIZE), python->version, out);
    if (bytes)
        release(bytes);
    else
        clear();
    variables = attribute((void *)code, "co_nlocals");
    count = variables ? number(variables) : 0;
    if (variables)
        release(variables);
    else
        clear();
    out->variables = (uint8_t)(count < 0 ? 0 : count < VARIABLES_MOST ? count : VARIABLES_MOST);
    return known;
}

bool python_api_loops(const struct python *python, uintptr_t code, struct loop_code *out)
{
    struct module_place place;
    char file[TEXT_MAX];

    (void)text_of(python, code + python->offsets.code_file, file);
    out->user = file[0] && !python_path_is_library(file);
    out->imports = python_path_is_importer(file);
    /* The interpreter's own, which it keeps in its image and partly in memory that cannot be written:
     * to give its code away it would write there. They have no loops that matter. */
    if (module_place_find(code, &place))
        return true;
    return read_loops(python, code, out);
}

bool python_api_is_main(const struct python *python, uintptr_t code)
{
    char name[TEXT_MAX], file[TEXT_MAX];

    (void)text_of(python, code + python->offsets.code_name, name);
    (void)text_of(python, code + python->offsets.code_file, file);
    return strcmp(name, "_run_module_as_main") == 0 ||
           (strcmp(name, "<module>") == 0 && !strstr(file, "<frozen ") && !strstr(file, "/site.py"));
}

/* ---- the adapter ---- */

struct api {
    void *(*dict)(void), *(*builtins)(void), *(*path)(const char *);
    void *(*run)(const char *, int, void *, void *, void *);
    int (*set)(void *, const char *, void *);
    void (*release)(void *), (*clear)(void);
};

static bool find_api(struct api *api)
{
    return python_function(PYTHON_PyDict_New, &api->dict) &&
           python_function(PYTHON_PyEval_GetBuiltins, &api->builtins) &&
           python_function(PYTHON_PyUnicode_DecodeFSDefault, &api->path) &&
           python_function(PYTHON_PyRun_StringFlags, &api->run) &&
           python_function(PYTHON_PyDict_SetItemString, &api->set) &&
           python_function(PYTHON_Py_DecRef, &api->release) &&
           python_function(PYTHON_PyErr_Clear, &api->clear);
}

static bool set_new(const struct api *api, void *space, const char *name, void *value)
{
    const bool ok = value && api->set(space, name, value) == 0;

    if (value)
        api->release(value);
    return ok;
}

void python_api_load(const char *path)
{
    struct api api;
    void *space, *result = NULL;

    if (!find_api(&api))
        return;
    space = api.dict();
    if (!space) {
        api.clear();
        return;
    }
    if (api.set(space, "__builtins__", api.builtins()) == 0 &&
        set_new(&api, space, "__name__", api.path("_tare_pending")) &&
        set_new(&api, space, "__file__", api.path(path)))
        result = api.run(loader, FILE_INPUT, space, space, NULL);
    if (result)
        api.release(result);
    else
        api.clear();
    api.release(space);
}
