/* program.h - which interpreter this program is, by the name of its file. */
#ifndef TARE_PROBE_PROGRAM_H
#define TARE_PROBE_PROGRAM_H

#include <stdbool.h>

bool program_is_node(void);
bool program_is_python(void); /* asked once, then remembered */

#endif /* TARE_PROBE_PROGRAM_H */
