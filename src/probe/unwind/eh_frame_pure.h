/* eh_frame_pure.h - from the unwind tables of a module to one row: how a frame finds its caller.
 *
 * Plain functions of memory that is reached only through struct eh_memory; every byte is hostile.
 * x86-64. What is tracked is what a walk needs: where the caller's stack pointer (the CFA) is, where
 * rbp was saved, and that the return address lies just below the CFA. Other registers, and
 * expressions other than the ones compilers and linkers are known to write, are refused:
 *     CFA = *(rbp + n)                      a function that realigns its stack (gcc)
 *     CFA = rsp + 8 + (rip & 15 >= n) * 8   the lazy part of a procedure linkage table
 */
#ifndef TARE_PROBE_EH_FRAME_PURE_H
#define TARE_PROBE_EH_FRAME_PURE_H

#include "probe/unwind/eh_program_pure.h"

enum eh_found {
    EH_NONE,      /* no entry covers this address */
    EH_ROW,       /* the row was filled in */
    EH_OUTERMOST, /* the return address is undefined: this function has no caller */
    EH_SIGNAL,    /* a signal frame */
    EH_UNUSABLE   /* the entry is broken, or says what a row cannot hold */
};

/* Searches the sorted table of an .eh_frame_hdr at `header`; the address of the entry, or 0. */
uintptr_t eh_frame_search(const struct eh_memory *memory, uintptr_t header, uintptr_t pc);

/* Runs the entry at `fde` up to `pc`, which must lie inside the instruction in question: for a
 * return address that is one byte less. */
enum eh_found eh_frame_run(const struct eh_memory *memory, uintptr_t fde, uintptr_t pc,
                           struct eh_row *row);

/* Both of the above. */
enum eh_found eh_frame_find(const struct eh_memory *memory, uintptr_t header, uintptr_t pc,
                            struct eh_row *row);

#endif /* TARE_PROBE_EH_FRAME_PURE_H */
