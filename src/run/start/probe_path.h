/* probe_path.h - where the probe is: beside the program that was built, or in PREFIX/lib/tare.
 * The adapters lie beside the probe. */
#ifndef TARE_RUN_PROBE_PATH_H
#define TARE_RUN_PROBE_PATH_H

#include <limits.h>

#include "base/err.h"

#define PROBE_PATH_MAX (PATH_MAX + 64)

/* 0, or a negative enum err if no probe can be preloaded. */
int probe_path(char path[PROBE_PATH_MAX], struct why *why);

/* The directory with the sitecustomize.py that Python loads at its start, from the probe's path. "": it is
 * missing, or its path cannot be an entry of PYTHONPATH. */
void python_path(char path[PROBE_PATH_MAX], const char *probe);

/* The script that Node loads at its start. "": it is missing, or its path cannot stand in NODE_OPTIONS. */
void node_path(char path[PROBE_PATH_MAX], const char *probe);

#endif /* TARE_RUN_PROBE_PATH_H */
