/* cmd_explain.c - `tare explain`: everything that is known about one finding. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/explain.h"

/* "3", or "1234.2" for the second finding of process 1234. */
static bool parse_id(const char *text, uint32_t *pid, unsigned *id)
{
    unsigned first, second;
    char again[32];

    *pid = 0;
    if (sscanf(text, "%9u.%9u", &first, &second) == 2) {
        (void)snprintf(again, sizeof(again), "%u.%u", first, second);
        *pid = first;
        *id = second;
        return first > 0 && second > 0 && strcmp(again, text) == 0;
    }
    if (sscanf(text, "%9u", id) != 1)
        return false;
    (void)snprintf(again, sizeof(again), "%u", *id);
    return *id > 0 && strcmp(again, text) == 0;
}

int cmd_explain(int argc, char **argv)
{
    bool trail = false;
    const struct opt opts[] = {
        {"why", "print what each rule said of this finding, or, without ID, of all", .flag = &trail},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    struct report_options options = {.color = speech_color(STDOUT_FILENO)};
    struct why why = {""};
    uint32_t pid = 0;
    unsigned id = 0;
    int err;

    if (first < 0 || argc - first > 2 || argc - first < (trail ? 1 : 2))
        return cli_usage("tare explain [--why] DIR|FILE ID", opts);
    if (argc - first == 2 && !parse_id(argv[first + 1], &pid, &id)) {
        speech_say("\"%s\" is not the number of a finding; `tare report` shows the numbers", argv[first + 1]);
        return EXIT_USAGE;
    }
    err = trail ? explain_why(argv[first], pid, id, &options, stdout, &why)
                : explain_path(argv[first], pid, id, &options, stdout, &why);
    return err < 0 ? speech_fail(err, &why) : EXIT_CLEAN;
}
