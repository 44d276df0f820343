/* cmd_info.c - `tare info`: what tare can use on this machine, for users and bug reports. */
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/search_path.h"
#include "base/text.h"
#include "run/system/cgroup.h"
#include "cli/cli.h"
#include "run/start/probe_path.h"
#include "run/system/proc.h"

static void line(const char *name, const char *value)
{
    (void)speech_print("%-12s %s", name, value);
}

/* The first line that a command prints, or NULL. */
static const char *first_line(const char *command, char *text, size_t size)
{
    FILE *from = popen(command, "re");
    const char *got = from ? fgets(text, (int)size, from) : NULL;

    if (got)
        text[strcspn(text, "\n")] = 0;
    if (from)
        (void)pclose(from);
    return got && *text ? text : NULL;
}

/* The version that an interpreter in PATH prints. */
static void show_version(const char *name)
{
    char program[PATH_MAX], command[PATH_MAX + 64], text[256];
    const char *says = NULL;

    if (search_path(program, name) && !strchr(program, '\'')) {
        (void)snprintf(command, sizeof(command), "cd / && '%s' --version 2>/dev/null", program);
        says = first_line(command, text, sizeof(text));
    }
    line(name, says ? says : "not found");
}

static void show_kernel(void)
{
    struct utsname system;
    char text[512];

    if (uname(&system) != 0)
        return;
    (void)snprintf(text, sizeof(text), "%s %s, %s", system.sysname, system.release, system.machine);
    line("kernel", text);
    (void)snprintf(text, sizeof(text), "glibc %s", gnu_get_libc_version());
    line("C library", text);
}

/* The malloc that a program would use: a preloaded allocator comes before the C library. */
static void show_allocator(void)
{
    const char *preloads = getenv("LD_PRELOAD");
    char text[PATH_MAX + 64];
    Dl_info where;
    void *malloc_address = dlsym(RTLD_DEFAULT, "malloc");

    if (malloc_address && dladdr(malloc_address, &where) && where.dli_fname)
        (void)snprintf(text, sizeof(text), "malloc of %s", where.dli_fname);
    else
        (void)snprintf(text, sizeof(text), "not known");
    line("allocator", text);
    if (preloads && *preloads)
        line("LD_PRELOAD", preloads);
}

/* The choice in brackets: "always [madvise] never". */
static void show_huge_pages(void)
{
    char text[128] = "";
    char *begin, *end;

    if (proc_read("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)) <= 0) {
        line("huge pages", "not known");
        return;
    }
    begin = strchr(text, '[');
    end = begin ? strchr(begin, ']') : NULL;
    if (end)
        *end = 0;
    line("huge pages", end ? begin + 1 : text);
}

static void show_memory(void)
{
    char text[256], total_text[TEXT_SIZE_MAX], free_text[TEXT_SIZE_MAX];
    char info[4096];
    uint64_t total = 0;

    (void)snprintf(text, sizeof(text), "%ld bytes", sysconf(_SC_PAGESIZE));
    line("page size", text);
    show_huge_pages();
    if (proc_read("/proc/meminfo", info, sizeof(info)) > 0)
        (void)proc_value(info, "MemTotal:", &total);
    (void)text_size(total_text, total * 1024);
    (void)text_size(free_text, proc_available());
    (void)snprintf(text, sizeof(text), "%s, %s available", total_text, free_text);
    line("memory", text);
}

static void show_cgroup(void)
{
    static struct cgroup cgroup;
    char text[PATH_MAX + 128];

    cgroup_find(&cgroup, "");
    if (cgroup.version == 0) {
        line("cgroup", "none that counts memory");
        return;
    }
    (void)snprintf(text, sizeof(text), "version %d, %s%s", cgroup.version, cgroup.own,
                   cgroup.limit_count ? "" : ", no limit");
    line("cgroup", text);
    for (size_t i = 0; i < cgroup.limit_count; i++) {
        char limit[TEXT_SIZE_MAX], used[TEXT_SIZE_MAX];

        (void)text_size(limit, cgroup.limits[i].bytes);
        (void)text_size(used, cgroup_used(&cgroup, cgroup.limits[i].path));
        (void)snprintf(text, sizeof(text), "%s, %s used, by %s", limit, used,
                       cgroup.limits[i].path);
        line("  limit", text);
    }
}

static void show_probe(void)
{
    char path[PROBE_PATH_MAX], command[PROBE_PATH_MAX + 128], text[512];
    struct why why;

    if (probe_path(path, &why) != 0) {
        line("probe", why.text);
        return;
    }
    line("probe", path);
    /* In a separate program: the loader reports problems on standard error. */
    (void)snprintf(command, sizeof(command), "TARE_OFF=1 LD_PRELOAD='%s' /bin/true 2>&1", path);
    line("  loads", first_line(command, text, sizeof(text)) ? text : "yes");
}

static void show_perf(void)
{
    char text[64];

    if (proc_read("/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)) > 0) {
        text[strcspn(text, "\n")] = 0;
        line("ptrace_scope", text);
    }
    (void)snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    line("processors", text);
    line("smaps_rollup", access("/proc/self/smaps_rollup", R_OK) == 0 ? "readable" : "missing");
}

int cmd_info(int argc, char **argv)
{
    static const struct opt opts[] = {{0}};
    const int first = opt_parse(opts, argc, argv);

    if (first < 0 || first != argc)
        return cli_usage("tare info", opts);
    line("tare", TARE_VERSION);
    show_kernel();
    show_allocator();
    show_memory();
    show_cgroup();
    show_version("python3");
    show_version("node");
    show_probe();
    show_perf();
    return EXIT_CLEAN;
}
