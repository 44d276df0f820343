/* node_options_pure.h - which Nodes refuse to load our script, by their options.
 *
 * With Node's permission model, or a policy, a program may read only the files that it was granted.
 * Our script is not among them, and a script that NODE_OPTIONS names and Node may not read ends the
 * program before it has begun. To grant more than the user did would change what the program may
 * do, so the script is left out.
 */
#ifndef TARE_PROBE_NODE_OPTIONS_PURE_H
#define TARE_PROBE_NODE_OPTIONS_PURE_H

#include <stdbool.h>

/* Does Node's command line confine it? The program's own arguments do not count. A word after an
 * option may be the option's value or the script, so the search continues after it: to omit our
 * script by mistake costs some lines of a report; to load it by mistake costs the program. */
bool node_is_confined(int count, char *const *words);

/* The same for the value of NODE_OPTIONS. */
bool node_options_confine(const char *options);

/* Takes our script out of the value of NODE_OPTIONS, in place; false: it was not there. */
bool node_options_drop(char *options);

#endif /* TARE_PROBE_NODE_OPTIONS_PURE_H */
