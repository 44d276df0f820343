/* cmd_explain.c - `tare explain`: everything that is known about one finding. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/explain.h"

/* "3", or "1234.3" for the finding 3 of process 1234. */
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
    static const struct opt opts[] = {{0}};
    const int first = opt_parse(opts, argc, argv);
    struct report_options options = {.color = speech_color(STDOUT_FILENO)};
    struct why why = {""};
    uint32_t pid;
    unsigned id;
    int kind;

    if (first < 0 || argc - first != 2)
        return cli_usage("tare explain DIR|FILE ID", opts);
    if (!parse_id(argv[first + 1], &pid, &id)) {
        speech_say("\"%s\" is not the number of a finding; `tare report` shows the numbers", argv[first + 1]);
        return EXIT_USAGE;
    }
    kind = explain_path(argv[first], pid, id, &options, stdout, &why);
    return kind < 0 ? speech_fail(kind, &why) : EXIT_CLEAN;
}
