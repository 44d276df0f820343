/* probe_path.h - where the probe is: beside the program that was built, or in PREFIX/lib/tare.
 * The adapters lie beside the probe. */
#ifndef TARE_RUN_PROBE_PATH_H
#define TARE_RUN_PROBE_PATH_H

#include <limits.h>

#include "base/err.h"

#define PROBE_PATH_MAX (PATH_MAX + 64)

/* 0, or a negative enum err when there is none that could be preloaded. */
int probe_path(char path[PROBE_PATH_MAX], struct why *why);

/* The directory whose sitecustomize.py Python is to load at its start, given the probe's path;
 * "" when it is not there, or cannot be an entry of PYTHONPATH. */
void python_path(char path[PROBE_PATH_MAX], const char *probe);

/* The script that Node is to load at its start; "" when it is not there, or cannot be a word of
 * NODE_OPTIONS. */
void node_path(char path[PROBE_PATH_MAX], const char *probe);

#endif /* TARE_RUN_PROBE_PATH_H */
