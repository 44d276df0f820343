/* hooks_driver.c - how the program's calls of a driver come to the probe.
 *
 * Programs find NVIDIA's driver by name: dlopen, then dlsym, or dlsym for a function of the driver that
 * hands out all others (cuGetProcAddress). So dlsym is ours. For a name of driver.def it hands out a stub
 * that stands for the function which the driver gave; every other name goes to the real dlsym, as if ours
 * were not there. The driver may give several functions for a name, by the version asked for: each has a
 * stub of its own.
 *
 * Programs that are linked with the driver, as most for AMD's are, call the exported stubs of the same
 * names. The function behind those is looked up at the first call.
 *
 * Where another library has a dlsym of its own, it may do the same, or count on being the only one. Then
 * nothing is wrapped, and the ledger says so. dlvsym is left alone: no program is known to find a driver
 * by it.
 */
#include "probe/entry/hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "probe/core/elf_symbol.h"
#include "probe/core/forward_x86.h"
#include "probe/core/state.h"
#include "probe/core/symbol.h"
#include "probe/devices/driver.h"
#include "probe/entry/life.h"
#include "probe/unwind/module_place.h"

#define VERSIONS   4    /* stubs for each name; the first is exported. DRIVER below has the number, too */
#define OLDEST     4000 /* before version 4.0 of NVIDIA's interface sizes have 32 bits */
#define NOT_THERE  3    /* "not initialized", of both drivers: it is called, and not loaded */
#define NOTE_BYTES 512

/* The functions that the stubs stand for. */
static uintptr_t originals[DRIVER_ENTRIES * VERSIONS]; /* atomic; 0: free */
static bool aside;      /* drivers are left alone */
static char other[256]; /* the path of whoever else has a dlsym; "": the program */
static bool noted;      /* atomic: this process's ledger says so */

extern const char driver_stubs[];

/* ---- the real dlsym ---- */

struct found_symbol {
    void *symbol;
    uint64_t pass_on; /* 1: the real dlsym shall answer */
};

symbol_fn hooks_driver_next_first;
void *hooks_driver_dlsym(void *scope, const char *name);
struct found_symbol hooks_driver_find(void *scope, const char *name);
void hooks_driver_learn(void);

/* The next dlsym: libc's, or that of a library that comes after us. Read by the assembler code. */
symbol_fn *hooks_driver_next = hooks_driver_next_first;

DLSYM_HOOK(hooks_driver_dlsym, hooks_driver_next, hooks_driver_find, hooks_driver_learn);

static void *find_nothing(void *scope, const char *name)
{
    (void)scope;
    (void)name;
    return NULL;
}

void hooks_driver_learn(void)
{
    const int saved = errno;
    symbol_fn *next = symbol_libc();

    (void)symbol_find(RTLD_NEXT, "dlsym", &next);
    __atomic_store_n(&hooks_driver_next, next ? next : find_nothing, __ATOMIC_RELEASE);
    errno = saved;
}

/* ---- is anyone else there? ---- */

static int look_for_another(struct dl_phdr_info *info, size_t size, void *data)
{
    struct symbol_table table;
    uintptr_t address;

    (void)size;
    (void)data;
    if (!elf_symbol_table(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &table))
        return 0;
    address = elf_symbol_find(&table, "dlsym");
    if (address == 0 || address == (uintptr_t)hooks_driver_dlsym || address == (uintptr_t)symbol_libc())
        return 0;
    aside = true;
    strncpy(other, info->dlpi_name ? info->dlpi_name : "", sizeof(other) - 1);
    return 1;
}

void hooks_driver_setup(void)
{
    hooks_driver_learn();
    aside = symbol_libc() == NULL;
    (void)dl_iterate_phdr(look_for_another, NULL);
}

void hooks_driver_write(struct ledger *ledger)
{
    char text[NOTE_BYTES];

    if (!aside || __atomic_exchange_n(&noted, true, __ATOMIC_ACQ_REL))
        return;
    (void)snprintf(text, sizeof(text),
                   "%s has a dlsym of its own, by which the drivers of GPUs are found. tare left that "
                   "alone: memory that is taken from a GPU's driver was not measured.",
                   other[0] ? other : "The program");
    ledger_note(ledger, state_ordinal(), text);
}

void hooks_driver_forked(void)
{
    noted = false;
}

/* ---- stubs ---- */

static void *stub_of(unsigned place)
{
    return (void *)((uintptr_t)driver_stubs + (uintptr_t)place * STUB_BYTES);
}

static bool is_stub(const void *function)
{
    return (uintptr_t)function - (uintptr_t)driver_stubs < (uintptr_t)DRIVER_ENTRIES * VERSIONS * STUB_BYTES;
}

/* A stub for this function of the driver. More versions than there are stubs: the function itself. */
static void *hand_out(unsigned entry, void *function)
{
    const unsigned first = entry * VERSIONS + 1, end = (entry + 1) * VERSIONS;

    if (is_stub(function))
        return function;
    for (unsigned i = first; i < end; i++) {
        uintptr_t seen = 0;

        if (__atomic_compare_exchange_n(&originals[i], &seen, (uintptr_t)function, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            seen == (uintptr_t)function)
            return stub_of(i);
    }
    state_lose(LOST_device_blocks_full, 1);
    return function;
}

/* ---- by dlsym ---- */

static void learn_answers(unsigned kind, void *library)
{
    for (unsigned i = 0; i < DRIVER_QUESTIONS; i++) {
        const char *name = driver_question(kind, i, true);
        uintptr_t *to = driver_answer(kind, i);
        uintptr_t address = 0;

        if (name && __atomic_load_n(to, __ATOMIC_RELAXED) == 0 && symbol_find(library, name, &address))
            __atomic_store_n(to, address, __ATOMIC_RELEASE);
    }
}

/* The libraries that a program may be linked with; they may be visible only to a library that it has
 * loaded. */
static void *open_loaded(unsigned kind)
{
    static const char names[][20] = {"libcuda.so.1",    "libamdhip64.so.7", "libamdhip64.so.6",
                                     "libamdhip64.so.5", "libamdhip64.so"};
    const unsigned first = kind == DEVICE_HIP ? 1 : 0;
    const unsigned end = kind == DEVICE_HIP ? sizeof(names) / sizeof(names[0]) : 1;
    void *library = NULL;

    for (unsigned i = first; i < end && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

/* The function behind an exported stub; 0: no driver is loaded. */
static uintptr_t original_of(unsigned entry)
{
    uintptr_t *to = &originals[entry * VERSIONS], address = __atomic_load_n(to, __ATOMIC_ACQUIRE);
    const struct driver_entry *about = &driver_entries[entry];
    const int saved = errno;

    if (address)
        return address;
    if (symbol_find(RTLD_NEXT, about->name, &address)) {
        learn_answers(about->kind, RTLD_NEXT);
    } else {
        void *library = open_loaded(about->kind);

        if (library && symbol_find(library, about->name, &address))
            learn_answers(about->kind, library);
        if (library)
            (void)dlclose(library);
    }
    __atomic_store_n(to, address, __ATOMIC_RELEASE);
    errno = saved;
    return address;
}

static struct found_symbol find_for(unsigned entry, void *scope, const char *name)
{
    void *function, *behind;

    if (scope == RTLD_DEFAULT || scope == RTLD_NEXT) /* what is meant depends on the caller */
        return original_of(entry) ? (struct found_symbol){.pass_on = 1}
                                  : (struct found_symbol){.symbol = symbol_look(RTLD_NEXT, name)};
    function = hooks_driver_next(scope, name);
    if (is_stub(function)) { /* in the scope of the whole program it is ours that comes first */
        behind = symbol_look(RTLD_NEXT, name);
        return (struct found_symbol){.symbol = behind ? function : NULL};
    }
    if (!function || aside || state_is_off())
        return (struct found_symbol){.symbol = function};
    learn_answers(driver_entries[entry].kind, scope);
    return (struct found_symbol){.symbol = hand_out(entry, function)};
}

struct found_symbol hooks_driver_find(void *scope, const char *name)
{
    const unsigned entry = driver_find(name);

    life_begin();
    if (entry == DRIVER_ENTRIES)
        return (struct found_symbol){.pass_on = 1};
    return find_for(entry, scope, name);
}

/* ---- by the driver's own function ---- */

/* In the arguments of the program's call: the name, where to put the function, the version; flags, and
 * where to say why there is none. */
static void ask_for_answers(const struct driver_call *call)
{
    for (unsigned i = 0; i < DRIVER_QUESTIONS; i++) {
        const char *name = driver_question(call->entry->kind, i, false);
        uintptr_t *to = driver_answer(call->entry->kind, i), function = 0;

        if (name && __atomic_load_n(to, __ATOMIC_RELAXED) == 0 &&
            (uint32_t)call->original((uintptr_t)name, (uintptr_t)&function, call->arguments[2], 0, 0, 0) == 0)
            __atomic_store_n(to, function, __ATOMIC_RELEASE);
    }
}

static uint64_t look_up(const struct driver_call *call)
{
    const char *name = (const char *)call->arguments[0];
    void **to = (void **)call->arguments[1];
    const uint64_t result = driver_pass(call);
    unsigned entry;

    if ((uint32_t)result != 0 || !name || !to || !*to)
        return result;
    entry = driver_find_any(call->entry->kind, name);
    if (entry == DRIVER_ENTRIES || (call->entry->kind == DEVICE_CUDA && (int)call->arguments[2] < OLDEST))
        return result;
    ask_for_answers(call);
    *to = hand_out(entry, *to);
    return result;
}

/* ---- calls ---- */

/* Called by each stub. */
uint64_t hooks_driver_called(const uint64_t arguments[6], uint32_t place, const void *frame);

uint64_t hooks_driver_called(const uint64_t arguments[6], uint32_t place, const void *frame)
{
    struct driver_call call = {
        .entry = &driver_entries[place / VERSIONS], .arguments = arguments, .frame = frame};
    const uintptr_t original = place % VERSIONS == 0
                                   ? original_of(place / VERSIONS)
                                   : __atomic_load_n(&originals[place], __ATOMIC_ACQUIRE);

    if (!original)
        return NOT_THERE;
    memcpy(&call.original, &original, sizeof(original));
    life_begin();
    if (state_is_off() || aside)
        return driver_pass(&call);
    return call.entry->does == DRIVER_look_up ? look_up(&call) : driver_do(&call);
}

#define DRIVER(kind, name, does) STUBS_EXPORT(name, 4)
__asm__(STUBS_BEGIN(driver_stubs, hooks_driver_called)
#include "probe/devices/driver.def"
            STUBS_END);
#undef DRIVER

/* ---- unloading ---- */

static void forget_if_gone(uintptr_t *function)
{
    const uintptr_t address = __atomic_load_n(function, __ATOMIC_ACQUIRE);
    struct module_place place;

    if (address && !module_place_find(address, &place))
        __atomic_store_n(function, 0, __ATOMIC_RELEASE);
}

void hooks_driver_unloaded(void)
{
    if (state_is_off())
        return;
    for (unsigned i = 0; i < DRIVER_ENTRIES * VERSIONS; i++)
        forget_if_gone(&originals[i]);
    for (unsigned i = 0; i < DRIVER_QUESTIONS; i++) {
        forget_if_gone(driver_answer(DEVICE_CUDA, i));
        forget_if_gone(driver_answer(DEVICE_HIP, i));
    }
}
