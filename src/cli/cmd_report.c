/* cmd_report.c - `tare report`: judge a finished or running run and print the report. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "doctor/facts/diagnosis.h"
#include "report/lines_form.h"
#include "report/load.h"
#include "report/report.h"

/* Functions that were measured line by line, if there are any. */
static void put_lines(const char *path, bool color)
{
    struct run run = {0};
    struct why why = {""};

    if (report_load_brief(&run, path, &why) == 0 && lines_count(&run) > 0) {
        (void)fputc('\n', stdout);
        lines_text(&run, color, stdout);
    }
    run_free(&run);
}

int cmd_report(int argc, char **argv)
{
    struct report_options options = {.json = false};
    const struct opt opts[] = {
        {.name = "json", .says = "print the report as JSON", .flag = &options.json},
        {.name = "verbose", .letter = 'v', .says = "print everything: evidence, lists of lines, account",
         .flag = &options.verbose},
        {.name = "redact", .says = "replace names, paths and source by hashes", .flag = &options.redact},
        {.name = "since", .says = "judge only what came after NS of CLOCK_MONOTONIC",
         .argument = "NS", .bytes = &options.since},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    struct why why = {""};
    int status;

    if (first < 0 || argc - first != 1)
        return cli_usage("tare report [options] DIR|FILE", opts);
    options.color = speech_color(STDOUT_FILENO);
    status = report_path(argv[first], &options, stdout, &why);
    if (status >= 0 && !options.json && !options.redact)
        put_lines(argv[first], options.color);
    return status < 0 ? speech_fail(status, &why) : status;
}
