/* cmd_live.c - `tare live`: watch a run on the screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/runs.h"
#include "cli/watching.h"
#include "live/screen.h"

/* A number is a process id, unless a directory has this name. */
static int find_run(const char *word, char path[PATH_MAX], struct why *why)
{
    const size_t digits = strspn(word, "0123456789");

    if (digits > 0 && digits < 10 && word[digits] == 0 && access(word, F_OK) != 0)
        return runs_of((pid_t)atoi(word), path, why);
    if (snprintf(path, PATH_MAX, "%s", word) >= PATH_MAX)
        return fail(why, ERR_IO, "%s: the path is too long", word);
    return 0;
}

static int show(const char *path, struct why *why)
{
    int err = screen_open(why);
    int number;

    if (err)
        return err;
    err = watching_screen(path, why);
    number = screen_signal();
    screen_close();
    if (number)
        screen_die(number);
    return err;
}

int cmd_live(int argc, char **argv)
{
    bool once = false, all_users = false;
    const struct opt opts[] = {
        {"once", "print one picture and end; needs no terminal", .flag = &once},
        {"all-users", "also watch runs of other users", .flag = &all_users},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    static char path[PATH_MAX];
    struct why why = {""};
    int err;

    if (first < 0 || argc - first != 1)
        return cli_usage("tare live [--once] [--all-users] DIR|PID", opts);
    err = find_run(argv[first], path, &why);
    if (!err && !all_users)
        err = runs_check_owner(path, &why);
    if (!err)
        err = once ? watching_once(path, &why) : show(path, &why);
    return err ? speech_fail(err, &why) : EXIT_CLEAN;
}
