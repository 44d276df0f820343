/* brief_lock.h - a lock for short work on cold paths; waiting for it is bounded.
 *
 * The thread that holds it may be descheduled, stopped, or interrupted by its own signal handler.
 * After a while the others give up and count what they could not write. Never held across a call to
 * the program.
 */
#ifndef TARE_PROBE_BRIEF_LOCK_H
#define TARE_PROBE_BRIEF_LOCK_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool brief_lock(uint8_t *held, unsigned tries)
{
    for (unsigned i = 0; i < tries; i++) {
        if (!__atomic_test_and_set(held, __ATOMIC_ACQUIRE))
            return true;
        if (i % 64 == 63)
            (void)sched_yield();
    }
    return false;
}

static inline void brief_unlock(uint8_t *held)
{
    __atomic_clear(held, __ATOMIC_RELEASE);
}

#endif /* TARE_PROBE_BRIEF_LOCK_H */
