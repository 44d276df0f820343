/* cmd_check.c - `tare check`: compare a run with limits, for continuous integration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/check_form.h"

/* "1KB/step", "64K/s", "4096": bytes and, after a slash, the unit of time. */
static bool parse_growth(const char *text, struct check_limits *limits)
{
    static const struct {
        const char *name;
        enum check_unit unit;
    } units[] = {{"step", CHECK_PER_STEP}, {"s", CHECK_PER_SECOND}, {"second", CHECK_PER_SECOND}};
    const char *slash = strchr(text, '/');
    const size_t length = slash ? (size_t)(slash - text) : strlen(text);
    char size[64];
    uint64_t bytes = 0;
    bool known = !slash;

    for (size_t i = 0; slash && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(slash + 1, units[i].name) == 0) {
            limits->unit = units[i].unit;
            known = true;
        }
    if (!known || length >= sizeof(size))
        return false;
    memcpy(size, text, length);
    size[length] = 0;
    if (strcmp(size, "0") != 0 && !opt_size(size, &bytes))
        return false;
    limits->growth = (double)bytes;
    return true;
}

int cmd_check(int argc, char **argv)
{
    struct report_options options = {.json = false};
    struct check_limits limits = {0};
    const char *growth = NULL, *allow = NULL;
    const struct opt opts[] = {
        {"max-growth", "allowed leak rate, as 1KB/step or 1KB/s (default: none)",
         .argument = "RATE", .text = &growth},
        {"max-peak", "largest resident size of one process", .argument = "SIZE",
         .bytes = &limits.peak},
        {"allow", "file of known leaks: lines \"leak:PATTERN\"",
         .argument = "FILE", .text = &allow},
        {.name = "since", .says = "judge only what came after NS of CLOCK_MONOTONIC",
         .argument = "NS", .bytes = &options.since},
        {"json", "print the result as JSON", .flag = &options.json},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    struct why why = {""};
    int outcome;

    if (first < 0 || argc - first != 1)
        return cli_usage("tare check [options] DIR|FILE", opts);
    if (growth && !parse_growth(growth, &limits)) {
        speech_say("--max-growth needs a rate such as 1KB/step or 64K/s, not \"%s\"", growth);
        return EXIT_USAGE;
    }
    options.color = speech_color(STDOUT_FILENO);
    outcome = check_path(argv[first], &limits, allow, &options, stdout, &why);
    return outcome < 0 ? speech_fail(outcome, &why) : outcome;
}
