/* variables.h - which global variable lies at an address, from debug information. */
#ifndef TARE_DOCTOR_VARIABLES_H
#define TARE_DOCTOR_VARIABLES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct variable {
    const char *name; /* borrowed from the module */
    const char *file; /* NULL: not known */
    unsigned line;    /* 0: not known */
};

/* `address` is an address in the file. False: no variable is known there. */
bool variables_find(Dwfl_Module *module, uint64_t address, struct variable *out);

#endif /* TARE_DOCTOR_VARIABLES_H */
