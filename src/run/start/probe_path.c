/* probe_path.c - see probe_path.h. */
#include "run/start/probe_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/guests.h"

/* The directory of this program; without /proc, from the name by which it was started. */
static int own_directory(char path[PATH_MAX])
{
    const char *started_as = (const char *)getauxval(AT_EXECFN);
    char *slash;

    if (!realpath("/proc/self/exe", path) && !(started_as && realpath(started_as, path)))
        return -1;
    slash = strrchr(path, '/');
    if (!slash)
        return -1;
    *slash = 0;
    return 0;
}

int probe_path(char path[PROBE_PATH_MAX], struct why *why)
{
    char directory[PATH_MAX];
    char *slash;

    if (own_directory(directory) != 0)
        return fail(why, ERR_ABSENT, "tare cannot find its own directory, where the probe is");
    (void)snprintf(path, PROBE_PATH_MAX, "%s/%s", directory, GUEST_PROBE);
    if (access(path, R_OK) != 0) {
        slash = strrchr(directory, '/');
        if (slash)
            *slash = 0;
        (void)snprintf(path, PROBE_PATH_MAX, "%s/lib/tare/%s", directory, GUEST_PROBE);
    }
    if (access(path, R_OK) != 0)
        return fail(why, ERR_ABSENT, "the probe, %s, is not installed", GUEST_PROBE);
    if (strpbrk(path, ": "))
        return fail(why, ERR_ABSENT, "the probe's path holds a blank or a colon: %.300s", path);
    return 0;
}

void python_path(char path[PROBE_PATH_MAX], const char *probe)
{
    const char *slash = strrchr(probe, '/');
    const int length = slash ? (int)(slash - probe) : 0;
    char file[PROBE_PATH_MAX + 32];

    (void)snprintf(path, PROBE_PATH_MAX, "%.*s/" GUEST_PYTHON, length, probe);
    (void)snprintf(file, sizeof(file), "%s/sitecustomize.py", path);
    if (!slash || strchr(path, ':') || access(file, R_OK) != 0)
        path[0] = 0;
}

void node_path(char path[PROBE_PATH_MAX], const char *probe)
{
    const char *slash = strrchr(probe, '/');
    const int length = slash ? (int)(slash - probe) : 0;
    char addon[PROBE_PATH_MAX + 32];

    (void)snprintf(path, PROBE_PATH_MAX, "%.*s/" GUEST_NODE, length, probe);
    (void)snprintf(addon, sizeof(addon), "%.*s/node/tare_node.node", length, probe);
    if (!slash || strpbrk(path, " \"\\") || access(path, R_OK) != 0 || access(addon, R_OK) != 0)
        path[0] = 0;
}
