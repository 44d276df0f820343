/* main.c - main of `tare`. Everything else is in cli.c, so that a test can call it. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
