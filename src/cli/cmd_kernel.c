/* cmd_kernel.c - `tare kernel install`: a Jupyter kernel that runs under tare, beside the user's
 * own.
 *
 * A kernel is a directory with one small file that says how to start it. Ours starts `tare run` with the
 * command of the user's kernel. The user's own kernel is not changed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/search_path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/json/json_writer.h"

#define DEFAULT_NAME "tare-python3"
#define DEFAULT_SHOWN "Python 3 (tare)"

struct kernel_options {
    const char *name, *shown, *python;
};

/* VARIABLE/rest, or HOME/otherwise/rest. False: neither variable is set, or the path is too long. */
static bool place(char path[PATH_MAX], const char *variable, const char *otherwise, const char *rest)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    const bool own = base && *base == '/';

    if (!own && !(home && *home == '/'))
        return false;
    return snprintf(path, PATH_MAX, "%s%s%s%s", own ? base : home, own ? "" : otherwise,
                    *rest ? "/" : "", rest) < PATH_MAX;
}

/* The user's data directories, in Jupyter's order. */
static bool kernel_directory(char path[PATH_MAX], const char *name)
{
    char rest[PATH_MAX];

    (void)snprintf(rest, sizeof(rest), "kernels/%s", name);
    if (getenv("JUPYTER_DATA_DIR"))
        return place(path, "JUPYTER_DATA_DIR", "", rest);
    (void)snprintf(rest, sizeof(rest), "jupyter/kernels/%s", name);
    return place(path, "XDG_DATA_HOME", "/.local/share", rest);
}

static bool make_directories(const char *path)
{
    char part[PATH_MAX];

    (void)snprintf(part, sizeof(part), "%s/", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

static bool find_program(char path[PATH_MAX], const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 && snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    return search_path(path, name);
}

static bool has_kernel(const char *python)
{
    char *const words[] = {(char *)(uintptr_t)python, (char *)(uintptr_t)"-c",
                           (char *)(uintptr_t)"import ipykernel", NULL};
    const pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        (void)!freopen("/dev/null", "w", stderr);
        (void)execv(python, words);
        _exit(EXIT_NOT_FOUND);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void write_spec(FILE *out, const struct kernel_options *options, const char *own,
                       const char *records)
{
    const char *const words[] = {own, "run", "-q", "-f", "-o", records, "--", options->python, "-m",
                                 "ipykernel_launcher", "-f", "{connection_file}"};
    struct json json;

    json_init(&json, out);
    json_object(&json, NULL);
    json_list(&json, "argv");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        json_text(&json, NULL, words[i]);
    json_end(&json, ']');
    json_text(&json, "display_name", options->shown);
    json_text(&json, "language", "python");
    json_end(&json, '}');
    json_fini(&json);
}

static int cannot_make(const char *path)
{
    speech_say("%s could not be made: %s", path, strerror(errno));
    return EXIT_IO;
}

static int install(struct kernel_options *options)
{
    char directory[PATH_MAX], file[PATH_MAX + 16], records[PATH_MAX], own[PATH_MAX];
    FILE *out;

    if (!kernel_directory(directory, options->name) ||
        !place(records, "XDG_CACHE_HOME", "/.cache", "tare/kernels") ||
        !realpath("/proc/self/exe", own)) {
        speech_say("HOME is not set, so there is no directory for the kernel");
        return EXIT_IO;
    }
    if (!make_directories(directory))
        return cannot_make(directory);
    if (!make_directories(records))
        return cannot_make(records);
    (void)strncat(records, "/%p", sizeof(records) - strlen(records) - 1);
    (void)snprintf(file, sizeof(file), "%s/kernel.json", directory);
    out = fopen(file, "we");
    if (!out)
        return cannot_make(file);
    write_spec(out, options, own, records);
    if (fclose(out) != 0)
        return cannot_make(file);
    (void)speech_print("The kernel \"%s\" is in %s.", options->shown, directory);
    (void)speech_print("Choose it in a notebook, then: %%load_ext tare");
    return EXIT_CLEAN;
}

static bool is_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    return *name && *name != '.' && strspn(name, allowed) == strlen(name);
}

int cmd_kernel(int argc, char **argv)
{
    struct kernel_options options = {
        .name = DEFAULT_NAME, .shown = DEFAULT_SHOWN, .python = "python3"};
    static char python[PATH_MAX];
    const struct opt opts[] = {
        {"name", "of the kernel (default: " DEFAULT_NAME ")", .argument = "NAME",
         .text = &options.name},
        {"display", "name shown in notebooks (default: " DEFAULT_SHOWN ")", .argument = "TEXT",
         .text = &options.shown},
        {"python", "the interpreter (default: python3 of the path)", .argument = "PATH",
         .text = &options.python},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);

    if (first < 0 || argc - first != 1 || strcmp(argv[first], "install") != 0)
        return cli_usage("tare kernel install [options]", opts);
    if (!is_name(options.name)) {
        speech_say("\"%s\" is not a valid kernel name: use letters, digits, '.', '_' and '-'", options.name);
        return EXIT_USAGE;
    }
    if (!find_program(python, options.python)) {
        speech_say("there is no interpreter %s", options.python);
        return EXIT_USAGE;
    }
    options.python = python;
    if (!has_kernel(python))
        speech_say("%s has no ipykernel, which the kernel needs: pip install ipykernel", python);
    return install(&options);
}
