/* listening.c - does the program listen on a socket? A server may not be stopped for long. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "instance.h"

static bool serves; /* atomic: this is a worker of a cluster, whose parent listens for it */

/* serves(): so it is. */
napi_value listening_serves(napi_env env, napi_callback_info info)
{
    (void)env;
    (void)info;
    __atomic_store_n(&serves, true, __ATOMIC_RELAXED);
    return NULL;
}

static bool is_listening(int descriptor)
{
    int yes = 0;
    socklen_t size = sizeof(yes);

    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 && yes;
}

/* True also if it cannot be found out. */
bool listening_now(void)
{
    DIR *list = __atomic_load_n(&serves, __ATOMIC_RELAXED) ? NULL : opendir("/proc/self/fd");
    const struct dirent *one;
    bool found = !list;

    while (!found && (one = readdir(list)))
        found = one->d_name[0] != '.' && is_listening(atoi(one->d_name));
    if (list)
        (void)closedir(list);
    return found;
}
