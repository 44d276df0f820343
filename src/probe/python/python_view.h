/* python_view.h - what a walk over the interpreter's objects must know about the interpreter.
 *
 * Found once, when the adapter says hello; trusted only where the interpreter's frames are trusted too
 * (stack_python.h), so versions and builds that are not known are left alone.
 */
#ifndef TARE_PROBE_PYTHON_VIEW_H
#define TARE_PROBE_PYTHON_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/python/python_code.h"

/* In a type, beside what python_offsets.h has; the same since 3.8. */
enum {
    TYPE_BASIC_SIZE = 32,
    TYPE_ITEM_SIZE = 40,
    TYPE_FLAGS = 168,
    TYPE_TRAVERSE = 184,
    TYPE_BASE = 256,
    TYPE_DICT = 264,
    TYPE_DICT_OFFSET = 288,
    TYPE_END = 408
};

#define TYPE_INLINE_VALUES (1ul << 2)
#define TYPE_MANAGED_DICT (1ul << 4)
#define TYPE_IS_HEAP (1ul << 9)
#define TYPE_IS_READY (1ul << 12)
#define TYPE_HAS_GC (1ul << 14)
#define TYPE_IS_INT (1ul << 24)
#define TYPE_IS_LIST (1ul << 25)
#define TYPE_IS_TUPLE (1ul << 26)
#define TYPE_IS_BYTES (1ul << 27)
#define TYPE_IS_TEXT (1ul << 28)
#define TYPE_IS_DICT (1ul << 29)
#define TYPE_IS_EXCEPTION (1ul << 30)
#define TYPE_IS_TYPE (1ul << 31)

enum { MODULE_DICT = 16, LIST_ITEMS = 24, TUPLE_ITEMS = 24, LENGTH = 16, SET_USED = 24 };

struct python_view {
    const struct python *python;
    unsigned minor;
#define TYPE(field, name) uintptr_t field;
#include "probe/python/python_types.def"
#undef TYPE
    int (*dict_next)(void *dict, ssize_t *at, void **key, void **value);
    void *(*module_dict)(void);
    void *(*main_interpreter)(void);
    void *(*this_interpreter)(void); /* only with a thread state of its own */
    void *(*first_thread)(void *interpreter);
    void *(*next_thread)(void *state);
    void *(*this_state)(void);
    void *(*current_state)(void); /* the thread state of the lock's holder */
    /* Offsets that follow from the version, or from the member tables. */
    uint16_t frame_locals;            /* in a frame: its variables, then its values in use */
    uint16_t frame_object;            /* in a frame object: the frame, from 3.11 on */
    uint16_t code_arguments, code_keyword_arguments, code_stack; /* ints */
    uint16_t code_names;              /* names of all variables, from 3.11 on */
    uint16_t code_locals, code_cells, code_free; /* before 3.11 */
    uint16_t function_closure;        /* the two words before it are the defaults */
    uint16_t type_keys;               /* in a class: names of its instances' attributes */
    /* For the search that is about to begin. */
    uintptr_t modules;     /* sys.modules of the main interpreter, which keeps it to its end */
    uintptr_t interpreter; /* state of the main interpreter */
};

/* Is this the type of ints or of floats? False, too, before the interpreter is known. */
bool python_view_is_number(uintptr_t type);

/* The adapter calls from the program's own code: it is safe to search for symbols here. */
void python_view_meet(void);

/* Where the variables lie in a frame; 0: that version's frames are not known. */
uint16_t python_view_locals(void);

/* There is an interpreter whose objects can be walked, but this thread does not hold its lock. */
bool python_view_must_wait(void);

/* NULL: this thread does not hold the main interpreter's lock, or the offsets are not trusted. */
const struct python_view *python_view_now(void);

#endif /* TARE_PROBE_PYTHON_VIEW_H */
