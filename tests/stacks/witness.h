/* witness.h - stands where a malloc hook will stand: walks its caller and compares with others. */
#ifndef TARE_TESTS_STACKS_WITNESS_H
#define TARE_TESTS_STACKS_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WITNESS_MAX 512

/* What the last call of witness() on any thread saw. */
struct sighting {
    unsigned count;
    bool complete;
    bool known;    /* the stack was the thread's own */
    bool agrees;   /* every frame is the one glibc's backtrace() gives, and as many */
    bool modules;  /* every frame lies in the module that its record names */
    bool polite;   /* errno and the heap were left alone */
    uint32_t units[WITNESS_MAX];
    uintptr_t pcs[WITNESS_MAX];
};

extern __thread struct sighting seen;

void witness_start(const char *directory); /* makes the ledger */
void witness(void);
void *witness_ledger(void);
void witness_use(void *ledger);
void *witness_new_ledger(const char *name);
/* The path that the module record of a unit holds. */
const char *witness_path(uint32_t unit);
uint64_t witness_unloaded(uint32_t unit);
/* Whether frame `at` of the last sighting is inside the named function. */
bool witness_in(unsigned at, const char *function);
/* Position of the first frame inside it, or -1. */
int witness_find(const char *function);
/* Nanoseconds per frame of a warm walk from here. */
double witness_cost(unsigned rounds, unsigned *frames);

#ifdef __cplusplus
}
#endif

#endif /* TARE_TESTS_STACKS_WITNESS_H */
