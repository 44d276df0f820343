/* python_view.c - see python_view.h. */
#include "probe/python/python_view.h"

#include "probe/core/symbol.h"
#include "probe/python/stack_python.h"
#include "probe/python/python_function.h"

static struct python_view view;
static bool met; /* atomic: `view` is complete but for what one search needs */

/* By minor version: the variables in a frame, and the names in a class. */
static const struct {
    uint16_t frame_locals, frame_object, type_keys;
} built_in[] = {
    [9] = {360, PYTHON_ABSENT, 864},  [10] = {352, PYTHON_ABSENT, 872},
    [11] = {72, 24, 872},             [12] = {72, 24, 880},
    [13] = {72, 24, 880},             [14] = {80, 24, 880},
};

/* The name of a type says that what we found is one. */
static bool looks_sound(uintptr_t type)
{
    const char *name = type ? *(const char *const *)(type + TYPE_NAME) : NULL;

    return name && *(const uintptr_t *)(type + PYTHON_TYPE) == view.type_type;
}

static bool find_types(void)
{
    static const struct {
        const char *name;
        uintptr_t *to;
    } types[] = {
#define TYPE(field, name) {name, &view.field},
#include "probe/python/python_types.def"
#undef TYPE
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (!symbol_find(RTLD_DEFAULT, types[i].name, types[i].to) || !looks_sound(*types[i].to))
            return false;
    return true;
}

static bool find_functions(void)
{
    return python_function(PYTHON_PyDict_Next, &view.dict_next) &&
           python_function(PYTHON_PyImport_GetModuleDict, &view.module_dict) &&
           python_function(PYTHON_PyInterpreterState_Main, &view.main_interpreter) &&
           python_function(PYTHON_PyInterpreterState_Get, &view.this_interpreter) &&
           python_function(PYTHON_PyInterpreterState_ThreadHead, &view.first_thread) &&
           python_function(PYTHON_PyThreadState_Next, &view.next_thread) &&
           python_function(PYTHON_PyGILState_GetThisThreadState, &view.this_state) &&
           (python_function(PYTHON_PyThreadState_GetUnchecked, &view.current_state) ||
            python_function(PYTHON__PyThreadState_UncheckedGet, &view.current_state));
}

/* Only this code reads the table of modules, from running code: an interpreter that is being
 * made or shut down has none, and ends the process at such a call. */
void python_view_meet(void)
{
    if (__atomic_load_n(&met, __ATOMIC_ACQUIRE) || !find_types() || !find_functions() ||
        view.this_interpreter() != view.main_interpreter())
        return;
    view.modules = (uintptr_t)view.module_dict();
    __atomic_store_n(&met, view.modules != 0, __ATOMIC_RELEASE);
}

static bool read_offsets(const struct python *python)
{
    const uintptr_t code = python->symbols.code_type;

    view.minor = python->version >> 16 & 0xff;
    if (python->version >> 24 != 3 || view.minor >= sizeof(built_in) / sizeof(built_in[0]) ||
        built_in[view.minor].frame_locals == 0)
        return false;
    view.frame_locals = built_in[view.minor].frame_locals;
    view.frame_object = built_in[view.minor].frame_object;
    view.type_keys = built_in[view.minor].type_keys;
    view.code_arguments = python_member_of(code, "co_argcount");
    view.code_keyword_arguments = python_member_of(code, "co_kwonlyargcount");
    view.code_stack = python_member_of(code, "co_stacksize");
    view.code_locals = python_member_of(code, "co_varnames");
    view.code_cells = python_member_of(code, "co_cellvars");
    view.code_free = python_member_of(code, "co_freevars");
    view.code_names =
        view.minor >= 11 ? (uint16_t)(python->offsets.code_file - 16) : PYTHON_ABSENT;
    view.function_closure = python_member_of(view.function_type, "__closure__");
    return view.code_arguments != PYTHON_ABSENT && view.code_stack != PYTHON_ABSENT &&
           view.function_closure != PYTHON_ABSENT &&
           (view.minor >= 11 || view.code_locals != PYTHON_ABSENT);
}

uint16_t python_view_locals(void)
{
    const struct python *python = stack_python_trusted();
    const unsigned minor = python ? python->version >> 16 & 0xff : 0;

    return minor > 0 && minor < sizeof(built_in) / sizeof(built_in[0]) ? built_in[minor].frame_locals
                                                                        : 0;
}

bool python_view_is_number(uintptr_t type)
{
    return __atomic_load_n(&met, __ATOMIC_ACQUIRE) && (type == view.int_type || type == view.float_type);
}

/* Whether this interpreter's objects can be walked at all. */
static bool is_usable(void)
{
    const struct python *python = stack_python_trusted();

    if (!python || !__atomic_load_n(&met, __ATOMIC_ACQUIRE))
        return false;
    if (view.python != python && !read_offsets(python))
        return false;
    view.python = python;
    return true;
}

static bool holds_lock(void)
{
    const void *state = view.this_state();

    return state && state == view.current_state() &&
           view.this_interpreter() == view.main_interpreter();
}

bool python_view_must_wait(void)
{
    return is_usable() && !holds_lock();
}

const struct python_view *python_view_now(void)
{
    if (!is_usable() || !holds_lock())
        return NULL;
    view.interpreter = (uintptr_t)view.main_interpreter();
    return &view;
}
