/* python_roots.h - the roots of the interpreter's objects; child only.
 *
 * Each module, each running function and each thread is a root of its own. Modules are closed to
 * each other: a path from one module to another through an import does not show who holds an
 * object.
 */
#ifndef TARE_PROBE_PYTHON_ROOTS_H
#define TARE_PROBE_PYTHON_ROOTS_H

#include "probe/search/graph.h"

/* Finds all roots and closes the modules. False: what was found makes no sense. */
bool python_roots_find(struct graph *graph);

/* Marks everything reachable from the roots, the most informative roots first: the program's own
 * modules, its running functions, libraries' running functions, libraries' modules, the
 * interpreter's own state. True: all targets are found, and no more was marked than that needed. */
bool python_roots_mark(struct graph *graph);

/* Marks what is reachable from libraries' modules, and nothing else. */
void python_roots_mark_libraries(struct graph *graph);

/* The variables of a frame: names[i] belongs to the word at *first + 8 i. */
struct python_variables {
    uintptr_t first;
    uint32_t count; /* with names; values in use follow */
    uint32_t all;
    uintptr_t code;
};
bool python_roots_variables(const struct graph *graph, uintptr_t frame,
                            struct python_variables *out);
uint32_t python_roots_variable_count(const struct graph *graph, uintptr_t code);
/* The name of one; 0: it has none. */
uintptr_t python_roots_variable_name(const struct graph *graph,
                                     const struct python_variables *variables, uint32_t index);

#endif /* TARE_PROBE_PYTHON_ROOTS_H */
