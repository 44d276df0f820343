/* hooks_kernels.c - TensorFlow's cache of kernels: one for each operation with its attributes.
 *
 * A Keras variable has a name of its own among the attributes, so that every new one adds a kernel, about
 * 35 KB, which stays until the cache is cleared. Nothing in Python says how many there are.
 *
 * The methods come first by their names, as in hooks_tensorflow.c. What they return is not part of a
 * name, and has changed from release to release: so ours take no part in the call. They keep the
 * registers that arguments come in, count, and jump to the original, which is taken from the library that
 * called, for it is the same one. x86-64.
 */
#include <errno.h>
#include <link.h>

#include "probe/core/elf_symbol.h"
#include "probe/core/self_memory.h"
#include "probe/frameworks/frameworks.h"
#include "probe/unwind/module_place.h"

#define CONTEXT "_ZN10tensorflow12EagerContext"
#define ADD                                                                                        \
    CONTEXT "16AddKernelToCacheEN3tsl9Fprint128ENS1_4core11RefCountPtrINS_15KernelAndDeviceEEE"
#define CLEAR_THREAD CONTEXT "29ClearCachesAndThreadExecutorsEv"
#define CLEAR_DEFAULT CONTEXT "29ClearCachesAndDefaultExecutorEv"

struct method {
    const char *name;
    uintptr_t original; /* atomic */
};

static struct method add = {ADD, 0}, clear_thread = {CLEAR_THREAD, 0},
                     clear_default = {CLEAR_DEFAULT, 0};

/* ---- the originals ---- */

static uintptr_t original_near(const struct method *method, uintptr_t caller)
{
    struct module_place place;
    struct symbol_table table;
    uintptr_t base, path;

    if (!module_place_find(caller, &place) ||
        !module_place_describe(&place, self_copy_known, &base, &path) ||
        !elf_symbol_table_at(place.start, base, &table))
        return 0;
    return elf_symbol_find(&table, method->name);
}

static bool is_ours(const struct dl_phdr_info *info)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD &&
            (uintptr_t)&add - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}

static int look_in_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct method *method = data;
    struct symbol_table table;

    (void)size;
    if (is_ours(info) ||
        !elf_symbol_table(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &table))
        return 0;
    method->original = elf_symbol_find(&table, method->name);
    return method->original != 0;
}

/* The loader's lock is the last resort, as there is nowhere else to go. */
static uintptr_t original_of(struct method *method, uintptr_t caller)
{
    uintptr_t address = __atomic_load_n(&method->original, __ATOMIC_ACQUIRE);
    const int saved = errno;

    if (address)
        return address;
    address = original_near(method, caller);
    if (!address) {
        struct method other = *method;

        (void)dl_iterate_phdr(look_in_module, &other);
        address = other.original;
    }
    __atomic_store_n(&method->original, address, __ATOMIC_RELEASE);
    errno = saved;
    return address;
}

/* ---- the hooks ---- */

/* Called by the lines below, with the address that the method will return to. */
uintptr_t hooks_kernels_added(uintptr_t caller);
uintptr_t hooks_kernels_cleared(uintptr_t caller);
uintptr_t hooks_kernels_reset(uintptr_t caller);

uintptr_t hooks_kernels_added(uintptr_t caller)
{
    frameworks_kernel_added();
    return original_of(&add, caller);
}

uintptr_t hooks_kernels_cleared(uintptr_t caller)
{
    frameworks_kernels_cleared();
    return original_of(&clear_thread, caller);
}

uintptr_t hooks_kernels_reset(uintptr_t caller)
{
    frameworks_kernels_cleared();
    return original_of(&clear_default, caller);
}

#define HOOK(name, counts)                                                                         \
    __asm__(".pushsection .text\n"                                                                 \
            ".globl " name "\n"                                                                    \
            ".type " name ", @function\n" name ":\n"                                               \
            "endbr64\n"                                                                            \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n"                     \
            "sub $8, %rsp\n" /* a call wants the stack at a multiple of 16 */                      \
            "mov 56(%rsp), %rdi\n"                                                                 \
            "call " #counts "\n"                                                                   \
            "add $8, %rsp\n"                                                                       \
            "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"                           \
            "jmp *%rax\n"                                                                          \
            ".size " name ", . - " name "\n"                                                       \
            ".popsection\n")

HOOK(ADD, hooks_kernels_added);
HOOK(CLEAR_THREAD, hooks_kernels_cleared);
HOOK(CLEAR_DEFAULT, hooks_kernels_reset);
