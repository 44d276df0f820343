/* cmd_export.c - `tare export`: write a run in the format of another tool. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/export/export.h"

int cmd_export(int argc, char **argv)
{
    struct export_request request = {0};
    static const char formats[] = "one of"
#define FORMAT(name, stacks, binary, says) " " #name
#include "report/export/formats.def"
#undef FORMAT
        ;
    static const char values[] = ""
#define VALUE(number, name, spelling, unit, says) spelling " "
#include "doctor/verbs/profile_values.def"
#undef VALUE
        ;
    const struct opt opts[] = {
        {"format", formats, .argument = "FORMAT", .text = &request.format,
         .choices = formats + strlen("one of ")},
        {"output", "where to write it (default: standard output)", 'o', "FILE",
         .text = &request.output},
        {"value", "the number per stack: inuse_space, alloc_space, peak_space, …",
         .argument = "NAME", .text = &request.value, .choices = values},
        {"redact", "replace names, paths and source by hashes", .flag = &request.redact},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    struct why why = {""};
    int err;

    if (first < 0 || argc - first != 1 || !request.format)
        return cli_usage("tare export --format FORMAT [-o FILE] DIR|FILE", opts);
    err = export_path(argv[first], &request, &why);
    return err ? speech_fail(err, &why) : EXIT_CLEAN;
}
