/* driver.h - what a call of a device's driver means for memory.
 *
 * NVIDIA's driver and AMD's have the same functions under different names: driver.def lists them, this
 * file knows what each kind of them does, and entry/hooks_driver.c hands out functions of ours in their
 * place. Nothing here initialises a driver or makes a context: the probe asks it something only
 * after a call of the program, which has done so, and only through functions that the program's driver
 * itself has given.
 */
#ifndef TARE_PROBE_DRIVER_H
#define TARE_PROBE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* What an entry point does; its arguments, from the first on. All return 0 if it worked. */
enum driver_does {
    DRIVER_look_up,       /* name, where to put the entry point, version of the interface */
    DRIVER_take,          /* where to put the address, bytes */
    DRIVER_take_rows,     /* where to put the address, where to put the bytes of a row, .., rows */
    DRIVER_give,          /* address: of memory of any kind */
    DRIVER_create,        /* where to put a handle, bytes, description of where the memory is */
    DRIVER_release,       /* a handle */
    DRIVER_retain,        /* where to put a handle, which has one holder more then */
    DRIVER_map,           /* address, bytes, offset, handle */
    DRIVER_unmap,         /* address, bytes */
    DRIVER_pin,           /* where to put the address, bytes: memory of the host */
    DRIVER_pin_here,      /* address, bytes */
    DRIVER_destroy,       /* a context: its memory is gone */
    DRIVER_reset,         /* a device: the same */
    DRIVER_reset_current, /* nothing: the current device */
};

struct driver_entry {
    char name[30];
    uint8_t kind; /* enum device_kind of the driver */
    uint8_t does; /* enum driver_does */
};

enum {
#define DRIVER(kind, name, does) DRIVER_AT_##name,
#include "probe/devices/driver.def"
#undef DRIVER
    DRIVER_ENTRIES
};
extern const struct driver_entry driver_entries[DRIVER_ENTRIES];

/* The entry point of this name; DRIVER_ENTRIES: it is none of ours. */
unsigned driver_find(const char *name);
/* The same for a name that is asked for with a version of the interface: without _v2, and without _ptsz. */
unsigned driver_find_any(unsigned kind, const char *name);

/* Any of these functions. */
typedef uint64_t driver_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

struct driver_call {
    const struct driver_entry *entry;
    driver_fn *original;
    const uint64_t *arguments; /* six */
    const void *frame;         /* of the hook, where the stack begins */
};

/* Calls the original. */
uint64_t driver_pass(const struct driver_call *call);
/* Calls it, and reports what it did; not for DRIVER_look_up. */
uint64_t driver_do(const struct driver_call *call);

/* ---- what the probe itself asks a driver ---- */

enum driver_question {
    ASK_DEVICE,  /* the number of the current device */
    ASK_MEMORY,  /* bytes that are free on it, bytes that it has */
    ASK_CONTEXT, /* the current context */
    DRIVER_QUESTIONS
};

/* The function that answers it; `exact`: as the library names it, else as it is asked for with a version.
 * NULL: this driver has none. */
const char *driver_question(unsigned kind, enum driver_question which, bool exact);
/* Where the address of that function is kept, for as long as its library is loaded; 0: not known. */
uintptr_t *driver_answer(unsigned kind, enum driver_question which);

#endif /* TARE_PROBE_DRIVER_H */
