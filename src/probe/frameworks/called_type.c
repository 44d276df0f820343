/* called_type.c - see called_type.h. */
#include "probe/frameworks/called_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "probe/record/stack.h"
#include "probe/python/python_function.h"

#define CALL_AT 128  /* of struct _typeobject: the same in every CPython from 3.8 to 3.14 */
#define FLAGS_AT 168
#define HEAP_TYPE (1ul << 9)
#define VECTORCALL (1ul << 11) /* callers go past the type's function, straight to the object's own */
#define OWN_BYTES 32

typedef void *call_fn(void *self, void *arguments, void *keywords);

static struct {
    void *(*attribute)(void *, const char *);
    const char *(*text)(void *);
    void (*release)(void *), (*clear)(void);
} api;

static void (*tick)(uint32_t clock); /* NULL: the probe never began */
static call_fn *original;
static char own[OWN_BYTES];
static uint32_t clock_number;
static bool programs; /* under the interpreter's lock: a function of the program was called */
static __thread unsigned depth;

/* "jax" is of "jax", and so is "jax.numpy"; "jaxtyping" is not. */
static bool begins_with_own(const char *module)
{
    const size_t length = strlen(own);

    return strncmp(module, own, length) == 0 && (module[length] == 0 || module[length] == '.');
}

static bool is_framework_s(void *function)
{
    void *const name = api.attribute(function, "__module__");
    const char *const text = name ? api.text(name) : NULL;
    const bool answer = text && begins_with_own(text);

    if (!text)
        api.clear();
    if (name)
        api.release(name);
    return answer;
}

/* Work is done later, by other threads, and nothing says for which call. In a program with
 * compiled functions of its own, most of it is theirs; the framework's own operations count
 * where the program has none. */
static void note_call(void *function)
{
    const bool framework_s = is_framework_s(function);

    if (!framework_s)
        programs = true;
    if (!framework_s || !programs)
        stack_hand_off(__builtin_frame_address(0));
    if (!framework_s && tick)
        tick(clock_number);
}

static void *called(void *self, void *arguments, void *keywords)
{
    void *result;

    if (depth++ == 0)
        note_call(self);
    result = original(self, arguments, keywords);
    depth--;
    return result;
}

static bool find_api(void)
{
    return python_function(PYTHON_PyObject_GetAttrString, &api.attribute) &&
           python_function(PYTHON_PyUnicode_AsUTF8, &api.text) &&
           python_function(PYTHON_Py_DecRef, &api.release) &&
           python_function(PYTHON_PyErr_Clear, &api.clear);
}

/* The type's function must be the one that calls the object's own, whatever the flag says. */
static bool is_as_known(const char *type, unsigned long flags)
{
    call_fn *vectorcall = NULL, *call;
    unsigned long there;

    memcpy(&there, type + FLAGS_AT, sizeof(there));
    memcpy(&call, type + CALL_AT, sizeof(call));
    return there == flags && (flags & HEAP_TYPE) && (flags & VECTORCALL) &&
           python_function(PYTHON_PyVectorcall_Call, &vectorcall) && call == vectorcall;
}

void called_type_setup(void (*on_tick)(uint32_t clock))
{
    tick = on_tick;
}

int called_type_add(void *type, unsigned long flags, int clock, const char *name)
{
    call_fn *const ours = called;
    char *const at = type;

    if (!type || !name || original || clock <= 0 || strlen(name) >= OWN_BYTES || !find_api() ||
        !is_as_known(type, flags))
        return 0;
    memcpy(own, name, strlen(name) + 1);
    clock_number = (uint32_t)clock;
    memcpy(&original, at + CALL_AT, sizeof(original));
    memcpy(at + CALL_AT, &ours, sizeof(ours));
    flags &= ~VECTORCALL;
    memcpy(at + FLAGS_AT, &flags, sizeof(flags));
    return 1;
}
