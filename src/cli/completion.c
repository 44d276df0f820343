/* completion.c - see completion.h. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* What completes the argument of an option; its name in the table decides. */
enum argument { ARGUMENT_NONE, ARGUMENT_FILE, ARGUMENT_DIRECTORY, ARGUMENT_CHOICE, ARGUMENT_OTHER };

static enum argument argument_of(const struct opt *opt)
{
    if (!opt->argument)
        return ARGUMENT_NONE;
    if (opt->choices)
        return ARGUMENT_CHOICE;
    if (strcmp(opt->argument, "FILE") == 0)
        return ARGUMENT_FILE;
    return strcmp(opt->argument, "DIR") == 0 || strcmp(opt->argument, "OUT") == 0
               ? ARGUMENT_DIRECTORY
               : ARGUMENT_OTHER;
}

/* ---- bash ---- */

static void bash_options(const struct verb *verb, const char *line, const struct opt *opts)
{
    (void)line;
    printf("        %s) echo '", verb->name);
    for (; opts->name; opts++) {
        if (opts->letter)
            printf("-%c ", opts->letter);
        printf("--%s ", opts->name);
    }
    printf("-h --help' ;;\n");
}

static void bash_arguments(const struct verb *verb, const char *line, const struct opt *opts)
{
    static const char *const actions[] = {
        [ARGUMENT_FILE] = "file", [ARGUMENT_DIRECTORY] = "directory", [ARGUMENT_OTHER] = "other"};

    (void)line;
    for (; opts->name; opts++) {
        const enum argument argument = argument_of(opts);

        if (argument == ARGUMENT_NONE)
            continue;
        printf("        %s:--%s", verb->name, opts->name);
        if (opts->letter)
            printf(" | %s:-%c", verb->name, opts->letter);
        if (argument == ARGUMENT_CHOICE)
            printf(") echo 'choice %s' ;;\n", opts->choices);
        else
            printf(") echo %s ;;\n", actions[argument]);
    }
}

static void print_bash(void)
{
    printf("# Completion of tare for bash; made by `tare help --completion bash`.\n"
           "_tare_options() {\n    case $1 in\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++)
        cli_describe(verb, bash_options);
    printf("    esac\n}\n\n_tare_argument() {\n    case $1:$2 in\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++)
        cli_describe(verb, bash_arguments);
    printf("    esac\n}\n\n_tare() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} kind at\n"
           "    local verbs='");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++)
        printf("%s%s", verb == cli_verbs() ? "" : " ", verb->name);
    printf("' verb=${COMP_WORDS[1]}\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$verbs --help --version\" -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    # After the program's name, the words belong to the program.\n"
           "    if [[ $verb == run ]]; then\n"
           "        for ((at = 2; at < COMP_CWORD; at++)); do\n"
           "            [[ ${COMP_WORDS[at]} == -- ]] && at=$((at + 1)) && break\n"
           "            [[ ${COMP_WORDS[at]} == -* ]] || break\n"
           "            [[ -n $(_tare_argument run \"${COMP_WORDS[at]}\") ]] && at=$((at + 1))\n"
           "        done\n"
           "        if ((at < COMP_CWORD)); then\n"
           "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "            return\n"
           "        elif [[ $word != -* && $(_tare_argument run \"$before\") == '' ]]; then\n"
           "            mapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
           "            return\n"
           "        fi\n"
           "    fi\n"
           "    kind=$(_tare_argument \"$verb\" \"$before\")\n"
           "    case $kind in\n"
           "    choice*) mapfile -t COMPREPLY < <(compgen -W \"${kind#choice}\" -- \"$word\") ;;\n"
           "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
           "    directory) mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
           "    other) ;;\n"
           "    *)\n"
           "        if [[ $word == -* ]]; then\n"
           "            mapfile -t COMPREPLY < <(compgen -W \"$(_tare_options \"$verb\")\" -- "
           "\"$word\")\n"
           "        elif [[ $verb == help ]]; then\n"
           "            mapfile -t COMPREPLY < <(compgen -W \"$verbs\" -- \"$word\")\n"
           "        else\n"
           "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "        fi\n"
           "        ;;\n"
           "    esac\n"
           "}\n\n"
           "complete -o filenames -F _tare tare\n");
}

/* ---- zsh ---- */

/* Inside single quotes and _arguments' brackets. */
static void put_zsh(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_option(const struct opt *opt)
{
    const enum argument argument = argument_of(opt);

    if (opt->letter)
        printf("            '(-%c --%s)'{-%c,--%s}'[", opt->letter, opt->name, opt->letter,
               opt->name);
    else
        printf("            '--%s[", opt->name);
    put_zsh(opt->says);
    printf("]");
    if (argument != ARGUMENT_NONE)
        printf(":%s:", opt->argument);
    if (argument == ARGUMENT_CHOICE)
        printf("(%s)", opt->choices);
    else if (argument == ARGUMENT_FILE || argument == ARGUMENT_DIRECTORY)
        printf("_files%s", argument == ARGUMENT_DIRECTORY ? " -/" : "");
    printf("' \\\n");
}

static void zsh_verb(const struct verb *verb, const char *line, const struct opt *opts)
{
    static const struct opt help = {
        .name = "help", .says = "print a summary and do nothing else", .letter = 'h'};

    (void)line;
    printf("        %s)\n            _arguments -s \\\n", verb->name);
    for (; opts->name; opts++)
        zsh_option(opts);
    zsh_option(&help);
    if (strcmp(verb->name, "run") == 0)
        printf("            '(-):command: _command_names -e' '*::arguments: _normal' ;;\n");
    else if (strcmp(verb->name, "help") == 0)
        printf("            ':verb:($verbs)' ;;\n");
    else
        printf("            '*:run:_files' ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef tare\n# Completion of tare for zsh; made by `tare help --completion zsh`.\n"
           "_tare() {\n    local -a verbs described\n    verbs=(");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++)
        printf("%s ", verb->name);
    printf(")\n    described=(\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++) {
        printf("        '%s:", verb->name);
        put_zsh(verb->says);
        printf("'\n");
    }
    printf("    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe 'verb' described\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $words[1] in\n");
    for (const struct verb *verb = cli_verbs(); verb->name; verb++)
        cli_describe(verb, zsh_verb);
    printf("    esac\n}\n\n_tare \"$@\"\n");
}

int completion_print(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else {
        speech_say("there is no completion for \"%s\"; there is one for bash and for zsh", shell);
        return EXIT_USAGE;
    }
    return EXIT_CLEAN;
}
