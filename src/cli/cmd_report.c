/* cmd_report.c - `tare report`: read what a run left behind, or leaves now, and say what it means.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "doctor/diagnosis.h"
#include "report/report.h"

int cmd_report(int argc, char **argv)
{
    struct report_options options = {.json = false};
    const struct opt opts[] = {
        {.name = "json", .says = "print the report as JSON", .flag = &options.json},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    struct why why = {""};
    int kind;

    if (first < 0 || argc - first != 1)
        return cli_usage("tare report [--json] DIR|FILE", opts);
    options.color = cli_color(STDOUT_FILENO);
    kind = report_path(argv[first], &options, stdout, &why);
    return kind < 0 ? cli_fail(kind, &why) : kind_status((enum kind)kind);
}
