/* cmd_diff.c - `tare diff`: compare two runs: what is fixed, what is new. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/diff_form.h"

int cmd_diff(int argc, char **argv)
{
    struct report_options options = {.json = false};
    const struct opt opts[] = {
        {.name = "json", .says = "print the comparison as JSON", .flag = &options.json},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    struct why why = {""};
    int status;

    if (first < 0 || argc - first != 2)
        return cli_usage("tare diff [--json] BEFORE AFTER", opts);
    options.color = speech_color(STDOUT_FILENO);
    status = diff_paths(argv[first], argv[first + 1], &options, stdout, &why);
    return status < 0 ? speech_fail(status, &why) : status;
}
