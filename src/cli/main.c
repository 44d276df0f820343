/* main.c - the entry of `tare`; everything else is in cli.c, where a test can reach it. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
