/* remedy.h - which change helps, and where it goes. Rules choose it as an enum; say/remedies.c has the
 * words. */
#ifndef TARE_DOCTOR_REMEDY_H
#define TARE_DOCTOR_REMEDY_H

enum remedy_name {
    REMEDY_none,
#define REMEDY(name, where, text, code, setting) REMEDY_##name,
#define LIBRARY(name, holder, operation, calls, where, text, code) REMEDY_##name,
#include "doctor/facts/libraries.def"
#include "doctor/facts/remedies.def"
#undef LIBRARY
#undef REMEDY
};

/* The lines of a storing statement that a remedy's code belongs to. */
enum fix_lines {
    FIX_any,       /* none: the code is not bound to a line */
    FIX_change,    /* the statement that has the stored value, in place of it */
    FIX_follow,    /* behind the statement that stores; before it, if it is a return */
    FIX_finish,    /* the end of the block around it, where what was made is not used any more */
    FIX_header,    /* the header of the function, in place of it */
    FIX_decorator, /* the decorator, in place of it */
    FIX_carry,     /* behind the statement that computes what the loop hands to its next turn */
    FIX_LINES
};

/* How the code goes there. */
enum fix_where { FIX_NOWHERE, FIX_REPLACE, FIX_AFTER, FIX_BEFORE };

#endif /* TARE_DOCTOR_REMEDY_H */
