/* node_options.c - see node_options.h. */
#include "probe/js/node_options.h"

#include <string.h>

#include "probe/core/program.h"
#include "probe/js/node_options_pure.h"

#define VARIABLE "NODE_OPTIONS="

static bool left_out;

bool node_options_left_out(void)
{
    return left_out;
}

static char **find_variable(char **environment)
{
    for (char **at = environment; at && *at; at++)
        if (strncmp(*at, VARIABLE, strlen(VARIABLE)) == 0)
            return at;
    return NULL;
}

/* Before `main`, in the only thread: Node has not read its options yet. The strings are this
 * process's own. */
__attribute__((constructor(102))) static void look(int count, char **words, char **environment)
{
    char **variable = find_variable(environment);
    char *options = variable ? *variable + strlen(VARIABLE) : NULL;

    if (!options || (!node_is_confined(count, words) && !node_options_confine(options)) ||
        !program_is_node() || !node_options_drop(options))
        return;
    left_out = true;
    if (*options == 0) /* it held only our word */
        for (; *variable; variable++)
            variable[0] = variable[1];
}
