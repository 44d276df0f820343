/* exec_env_pure.h - the environment of a program that cannot carry the probe: the host's, without
 * what `tare run` added.
 *
 * Only our own words in LD_PRELOAD, PYTHONPATH and NODE_OPTIONS go; a variable that holds nothing
 * else goes with them. TARE_DIR stays: by it `tare run` knows the processes of its run. Runs
 * between vfork and exec: the caller brings the memory, and the old environment is only read.
 */
#ifndef TARE_PROBE_EXEC_ENV_PURE_H
#define TARE_PROBE_EXEC_ENV_PURE_H

#include <stdbool.h>
#include <stddef.h>

/* Our words, as they stand in the variables; an empty one is never found. */
struct exec_guests {
    char probe[4096];  /* in LD_PRELOAD */
    char python[4096]; /* in PYTHONPATH */
    char node[4096];   /* in NODE_OPTIONS */
};

/* From the path of the probe, as the loader was given it. False: too long, or no path. */
bool exec_guests_set(struct exec_guests *guests, const char *probe);

/* Is the probe in LD_PRELOAD? `environment` may be NULL, which the kernel takes for an empty one.
 */
bool exec_env_has_probe(char *const *environment, const struct exec_guests *guests);

/* Is the runtime of a sanitizer in LD_PRELOAD? */
bool exec_env_has_sanitizer(char *const *environment);

/* The bytes that exec_env_build needs. */
size_t exec_env_size(char *const *environment, const struct exec_guests *guests);

/* The environment without us, in `room`, which is aligned for pointers. Strings that stay as they
 * are are shared with the old one. */
char *const *exec_env_build(void *room, char *const *environment, const struct exec_guests *guests);

#endif /* TARE_PROBE_EXEC_ENV_PURE_H */
