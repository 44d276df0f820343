/* proc.c - see proc.h. */
#include "run/system/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/guests.h"
#include "base/mem.h"
#include "ledger/mailbox.h"

#define PATH_SIZE 64
#define SEARCH_UNNAMED 2000000000ull /* ns after which a copy has renamed itself, even on a busy machine */

bool proc_present(void)
{
    return access("/proc/self/statm", R_OK) == 0;
}

ssize_t proc_read(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got = 0;

    if (fd < 0)
        return -1;
    while (length + 1 < size) {
        got = read(fd, text + length, size - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    (void)close(fd);
    text[length] = 0;
    return got < 0 && length == 0 ? -1 : (ssize_t)length;
}

static ssize_t read_of(pid_t pid, const char *file, char *text, size_t size)
{
    char path[PATH_SIZE];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    return proc_read(path, text, size);
}

bool proc_value(const char *text, const char *key, uint64_t *value)
{
    const size_t length = strlen(key);

    while (text && *text) {
        if (strncmp(text, key, length) == 0 && (text[length] == ' ' || text[length] == '\t')) {
            *value = strtoull(text + length, NULL, 10);
            return true;
        }
        text = strchr(text, '\n');
        if (text)
            text++;
    }
    return false;
}

static bool put(struct pids *pids, pid_t pid)
{
    if (pids->count == pids->room) {
        const size_t room = pids->room ? pids->room * 2 : 256;
        void *list = mem_resize(pids->list, room, sizeof(*pids->list));

        if (!list)
            return false;
        pids->list = list;
        pids->room = room;
    }
    pids->list[pids->count++] = pid;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const pid_t first = *(const pid_t *)a, second = *(const pid_t *)b;

    return (first > second) - (first < second);
}

void proc_list(struct pids *out)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;

    while (proc && (entry = readdir(proc)) != NULL) {
        const int pid = atoi(entry->d_name); /* 0: not a process */

        if (pid > 0 && !put(out, pid))
            break;
    }
    if (proc)
        (void)closedir(proc);
    if (out->count)
        qsort(out->list, out->count, sizeof(*out->list), by_number);
}

bool proc_listed(const struct pids *pids, pid_t pid)
{
    return pids->count && bsearch(&pid, pids->list, pids->count, sizeof(pid), by_number) != NULL;
}

/* /proc counts from the boot and includes sleep; the clock of ledgers does not. */
uint64_t proc_started(const struct proc_stat *stat)
{
    const uint64_t since_boot = stat->ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
    const uint64_t now = mailbox_clock();
    struct timespec boot;
    uint64_t slept;

    (void)clock_gettime(CLOCK_BOOTTIME, &boot);
    slept = (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec - now;
    return since_boot > slept ? since_boot - slept : 0;
}

/* "pid (name) state ppid …", where the name may hold anything, also parentheses. */
bool proc_stat(pid_t pid, struct proc_stat *out)
{
    char text[1024];
    unsigned long long ticks;
    const char *open_mark, *close_mark;
    int parent;

    if (read_of(pid, "stat", text, sizeof(text)) <= 0)
        return false;
    open_mark = strchr(text, '(');
    close_mark = strrchr(text, ')');
    if (!open_mark || !close_mark || close_mark < open_mark)
        return false;
    if (sscanf(close_mark + 1,
               " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu"
               " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
               &out->state, &parent, &ticks, &out->exit_signal) != 4)
        return false;
    (void)snprintf(out->name, sizeof(out->name), "%.*s", (int)(close_mark - open_mark - 1),
                   open_mark + 1);
    out->parent = parent;
    out->ticks = ticks;
    return true;
}

bool proc_is_search(const struct proc_stat *stat)
{
    return strcmp(stat->name, GUEST_SEARCH) == 0;
}

/* A child of fork() sends SIGCHLD when it ends. The copy sends no signal, so the program does not notice
 * it. */
bool proc_may_be_search(const struct proc_stat *stat)
{
    return stat->exit_signal == 0 && mailbox_clock() - proc_started(stat) < SEARCH_UNNAMED;
}

bool proc_resident(pid_t pid, uint64_t *bytes)
{
    unsigned long long size, resident;
    char text[128];

    if (read_of(pid, "statm", text, sizeof(text)) <= 0 ||
        sscanf(text, "%llu %llu", &size, &resident) != 2 || size == 0)
        return false;
    *bytes = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    return true;
}

static bool kilobytes(const char *text, const char *key, uint64_t *bytes)
{
    if (!proc_value(text, key, bytes))
        return false;
    *bytes *= 1024;
    return true;
}

bool proc_peak(pid_t pid, uint64_t *bytes)
{
    char text[4096];

    return read_of(pid, "status", text, sizeof(text)) > 0 && kilobytes(text, "VmHWM:", bytes);
}

/* Kernels from 6.2 on give the number as the directory's size. */
/* "Uid:" has the real id, the effective id, and two more. */
bool proc_user(pid_t pid, uint32_t *user)
{
    char text[4096];
    const char *line;
    unsigned real;

    if (read_of(pid, "status", text, sizeof(text)) <= 0)
        return false;
    line = strstr(text, "\nUid:");
    return line && sscanf(line, "\nUid: %u %u", &real, user) == 2;
}

bool proc_maps(pid_t pid, const char *suffix)
{
    const size_t length = strlen(suffix);
    char path[64], line[8192];
    bool found = false;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return true;
    while (!found && fgets(line, sizeof(line), file)) {
        const size_t size = strcspn(line, "\n");

        found = size > length && memcmp(line + size - length, suffix, length) == 0;
    }
    (void)fclose(file);
    return found;
}

bool proc_descriptors(pid_t pid, uint32_t *count)
{
    char path[64];
    struct stat info;
    DIR *folder;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    if (stat(path, &info) == 0 && info.st_size > 0) {
        *count = (uint32_t)info.st_size;
        return true;
    }
    folder = opendir(path);
    if (!folder)
        return false;
    *count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        *count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return true;
}

uint64_t proc_used(const struct rusage *used)
{
    return (uint64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000000u +
           (uint64_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1000u;
}

uint64_t proc_worked(void)
{
    struct rusage used;

    return getrusage(RUSAGE_SELF, &used) == 0 ? proc_used(&used) : 0;
}

bool proc_account(pid_t pid, struct account_record *out)
{
    char text[4096];
    const uint64_t begin = mailbox_clock();

    *out = (struct account_record){.time = begin, .pid = (uint32_t)pid};
    if (read_of(pid, "smaps_rollup", text, sizeof(text)) <= 0)
        return false;
    out->pause_ns = mailbox_clock() - begin;
    if (!kilobytes(text, "Rss:", &out->resident))
        return false;
    (void)kilobytes(text, "Pss:", &out->proportional);
    (void)kilobytes(text, "Shared_Clean:", &out->shared_clean);
    (void)kilobytes(text, "Shared_Dirty:", &out->shared_dirty);
    (void)kilobytes(text, "Private_Clean:", &out->private_clean);
    (void)kilobytes(text, "Private_Dirty:", &out->private_dirty);
    (void)kilobytes(text, "Anonymous:", &out->anonymous);
    (void)kilobytes(text, "Swap:", &out->swap);
    /* The parts of Rss itself; those of Pss divide a shared page among its users. */
    if (read_of(pid, "status", text, sizeof(text)) > 0) {
        (void)kilobytes(text, "RssFile:", &out->file);
        (void)kilobytes(text, "RssShmem:", &out->shmem);
    }
    return true;
}

uint64_t proc_available(void)
{
    uint64_t bytes = 0;
    char text[4096];

    if (proc_read("/proc/meminfo", text, sizeof(text)) > 0)
        (void)kilobytes(text, "MemAvailable:", &bytes);
    return bytes;
}
