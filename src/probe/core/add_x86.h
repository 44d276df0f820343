/* add_x86.h - one-writer counters: one instruction each, never torn for a reader.
 *
 * A C addition would do, but the compiler may split it in three instructions, and with an atomic
 * store it does. Only the owning thread adds; others only load.
 */
#ifndef TARE_PROBE_ADD_X86_H
#define TARE_PROBE_ADD_X86_H

#include <stdint.h>

static inline void add_one(uint64_t *counter)
{
    __asm__("incq %0" : "+m"(*counter) : : "cc");
}

static inline void add_to(uint64_t *counter, uint64_t value)
{
    __asm__("addq %1, %0" : "+m"(*counter) : "re"(value) : "cc");
}

#endif /* TARE_PROBE_ADD_X86_H */
