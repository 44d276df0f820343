/* going_on.c - run_going_on: is this run being made here, now? See model.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/model.h"

static bool is_own_process(uint32_t pid)
{
    char path[64];
    struct stat info;

    (void)snprintf(path, sizeof(path), "/proc/%u", pid);
    return stat(path, &info) == 0 && info.st_uid == geteuid();
}

/* "ADDRESSES rw-s OFFSET DEVICE INODE   PATH" */
static bool maps_for_writing(char *line, const char *ledger)
{
    const char *mode = strchr(line, ' '), *path = strchr(line, '/');

    line[strcspn(line, "\n")] = 0;
    return mode && path && strncmp(mode, " rw-s", 5) == 0 && strcmp(path, ledger) == 0;
}

bool run_going_on(const char *directory, const struct model *own)
{
    char real[PATH_MAX], ledger[PATH_MAX + sizeof(LEDGER_RUN_NAME) + 1], name[64], *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *maps;

    if (own->head.state == STATE_ENDED || !is_own_process(own->head.pid) ||
        !realpath(directory, real))
        return false;
    (void)snprintf(ledger, sizeof(ledger), "%s/%s", real, LEDGER_RUN_NAME);
    (void)snprintf(name, sizeof(name), "/proc/%u/maps", own->head.pid);
    maps = fopen(name, "re");
    while (maps && !found && getline(&line, &size, maps) > 0)
        found = maps_for_writing(line, ledger);
    free(line); /* getline's */
    if (maps)
        (void)fclose(maps);
    return found;
}
