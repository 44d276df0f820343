/* cmd_help.c - `tare help [VERB]`: the verbs, or the options of one; also the manual pages. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/manual.h"

static void list_verbs(void)
{
    printf("tare - does this program's memory leak, where, and what to change\n\n"
           "  tare run -- ./program arguments…\n\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++)
        printf("  %-10s %s\n", verb->name, verb->says);
    printf("\n`tare help VERB` prints its options, `tare help --man VERB` its manual page;\n"
           "`tare --version` prints the version.\n");
}

int cmd_help(int argc, char **argv)
{
    const char *shell = NULL;
    bool man = false;
    const struct opt opts[] = {
        {"man", "print the manual page, for man -l", .flag = &man},
        {"completion", "print the completion for a shell", .argument = "SHELL", .text = &shell,
         .choices = "bash zsh"},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    const struct verb *verb;
    char ask[] = "--help";
    char *words[] = {NULL, ask, NULL};

    if (first < 0 || argc - first > 1)
        return cli_usage("tare help [VERB]", opts);
    if (shell)
        return completion_print(shell);
    if (argc == first && man) {
        manual_print(NULL);
        return EXIT_CLEAN;
    }
    if (argc == first) {
        list_verbs();
        return EXIT_CLEAN;
    }
    verb = cli_verb(argv[first]);
    if (!verb) {
        speech_say("unknown verb \"%s\"; see `tare help`", argv[first]);
        return EXIT_USAGE;
    }
    if (man) {
        manual_print(verb);
        return EXIT_CLEAN;
    }
    words[0] = argv[first];
    return verb->run(2, words);
}
