/* cmd_lines.c - `tare lines`: what each line of a Python function adds, keeps and releases.
 *
 * With --function it runs a program, as `tare run` does, and prints the tables at the end. With a directory
 * or a ledger it prints the tables of a finished or running run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "run/session/session.h"
#include "report/lines_form.h"

struct lines_options {
    struct run_options run;
    struct opt_list functions;
    const char *json;
};

static int cannot_write(const char *path)
{
    speech_say("%s could not be written: %s", path, strerror(errno));
    return EXIT_IO;
}

static int write_json(const char *path, const char *to)
{
    const bool standard = strcmp(to, "-") == 0;
    FILE *out = standard ? stdout : fopen(to, "we");
    struct why why = {""};
    int count;

    if (!out)
        return cannot_write(to);
    count = lines_path(path, true, false, out, &why);
    if (!standard && fclose(out) != 0)
        return cannot_write(to);
    return count < 0 ? speech_fail(count, &why) : EXIT_CLEAN;
}

/* The tables of an existing run. */
static int show(const struct lines_options *options, const char *path)
{
    struct why why = {""};
    int count;

    if (options->json)
        return write_json(path, options->json);
    count = lines_path(path, false, speech_color(STDOUT_FILENO), stdout, &why);
    if (count < 0)
        return speech_fail(count, &why);
    if (count == 0)
        speech_say("no function was measured line by line in %s", path);
    return EXIT_CLEAN;
}

/* The names of the functions, for the adapter in the program. */
static bool tell_names(const struct opt_list *names)
{
    struct text all = {0};
    bool ok;

    for (size_t i = 0; i < names->count; i++) {
        text_put(&all, names->items[i]);
        text_put(&all, "\n");
    }
    ok = !all.failed && setenv("TARE_LINES", text_string(&all), 1) == 0;
    text_free(&all);
    return ok;
}

static int run_and_show(struct lines_options *options, char **command)
{
    static struct session_end end;
    struct why why = {""};
    int code, count;

    if (!tell_names(&options->functions)) {
        speech_say("no memory for the names of the functions");
        return EXIT_OURS;
    }
    code = session_run(&options->run, command, NULL, &end);
    if (code || !end.directory[0])
        return code ? code : end.status;
    count = lines_path(end.directory, false, speech_color(STDERR_FILENO), stderr, &why);
    if (count < 0)
        (void)speech_fail(count, &why);
    if (count == 0)
        speech_say("no function of that name was called, or its lines were not recorded");
    if (options->json)
        (void)write_json(end.directory, options->json);
    if (!options->run.quiet)
        speech_say("the run is kept in %s", end.directory);
    return end.status;
}

int cmd_lines(int argc, char **argv)
{
    static struct lines_options options;
    struct lines_options *o = &options;
    const struct opt opts[] = {
        {"function", "measure NAME, Class.NAME or module:NAME; may be repeated", 'F', "NAME",
         .list = &o->functions},
        {"json", "write the tables as JSON, too (- is standard output)", .argument = "FILE",
         .text = &o->json},
        {"output", "directory for the record", 'o', "DIR", .text = &o->run.directory},
        {"force", "remove what an earlier run of tare left in DIR", 'f', .flag = &o->run.force},
        {"quiet", "no status line; the tables and errors only", 'q', .flag = &o->run.quiet},
        {0},
    };
    const int first = opt_parse_before(opts, argc, argv);

    if (first < 0 || first == argc || (o->functions.count == 0 && argc - first != 1))
        return cli_usage("tare lines --function NAME [options] -- COMMAND [argument…] | DIR|FILE",
                         opts);
    return o->functions.count > 0 ? run_and_show(o, argv + first) : show(o, argv[first]);
}
