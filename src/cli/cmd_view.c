/* cmd_view.c - `tare view`: write a run as one HTML file and open it in a browser. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/search_path.h"
#include "cli/cli.h"
#include "run/output/finish.h"

/* The file beside the run: DIR.html, or FILE.html for FILE.tare. False: the path is too long. */
static bool name_page(char *out, size_t size, const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length > 5 && strncmp(path + length - 5, ".tare", 5) == 0)
        length -= 5;
    if (length <= 2 && path[0] == '.')
        return snprintf(out, size, "%.*s/report.html", (int)length, path) < (int)size;
    return snprintf(out, size, "%.*s.html", (int)length, path) < (int)size;
}

/* Without --open, only if there is a screen. */
static bool wants_browser(const char *order)
{
    if (order)
        return strcmp(order, "yes") == 0;
    return isatty(STDOUT_FILENO) && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"));
}

/* The grandchild is an orphan, so tare does not wait for the end of the browser. */
static void open_browser(const char *file)
{
    const pid_t child = fork();
    char program[PATH_MAX];
    int status = 0;

    if (child == 0) {
        if (fork() == 0) {
            if (search_path(program, "xdg-open"))
                (void)execl(program, "xdg-open", file, (char *)NULL);
            speech_say("no browser could be started (xdg-open): %s", strerror(errno));
        }
        _exit(0);
    }
    if (child > 0)
        (void)waitpid(child, &status, 0);
}

int cmd_view(int argc, char **argv)
{
    const char *output = NULL, *browser = NULL;
    bool redact = false;
    const struct opt opts[] = {
        {"output", "the file to write (default: DIR.html, beside it)", 'o', "FILE",
         .text = &output},
        {"redact", "replace names and paths by hashes, leave the source out", .flag = &redact},
        {"open", "yes, no: show it in a browser (default: where there is a screen)",
         .argument = "WHETHER", .text = &browser, .choices = "yes no"},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    char name[PATH_MAX];
    int code;

    if (first < 0 || argc - first != 1 ||
        (browser && strcmp(browser, "yes") != 0 && strcmp(browser, "no") != 0))
        return cli_usage("tare view [-o FILE] [options] DIR|FILE", opts);
    if (!output && !name_page(name, sizeof(name), argv[first])) {
        speech_say("%s: the path is too long; choose a file with -o", argv[first]);
        return EXIT_USAGE;
    }
    code = finish_page(argv[first], output ? output : name, redact);
    if (code >= EXIT_BAD_LEDGER)
        return code;
    if (speech_print("%s", output ? output : name) == 0 && wants_browser(browser))
        open_browser(output ? output : name);
    return EXIT_CLEAN;
}
