/* node_options.h - leaves our script out where Node would not be allowed to read it. */
#ifndef TARE_PROBE_NODE_OPTIONS_H
#define TARE_PROBE_NODE_OPTIONS_H

#include <stdbool.h>

/* Was our script left out of this process? */
bool node_options_left_out(void);

#endif /* TARE_PROBE_NODE_OPTIONS_H */
