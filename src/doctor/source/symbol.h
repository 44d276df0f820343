/* symbol.h - one function at a native address, as debug information or a symbol table has it. */
#ifndef TARE_DOCTOR_SYMBOL_H
#define TARE_DOCTOR_SYMBOL_H

#include <stdbool.h>

#define SYMBOLS_INLINE_MAX 32 /* functions inlined into each other at one address */

struct symbol {
    const char *file;     /* NULL: not known */
    unsigned line;        /* 0: not known */
    const char *function; /* demangled; NULL: not known */
    const char *linkage;  /* the mangled name; NULL: not known */
    bool inlined;         /* this function is inlined into that of the next entry */
};

#endif /* TARE_DOCTOR_SYMBOL_H */
