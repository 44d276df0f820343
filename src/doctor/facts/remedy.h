/* remedy.h - which change helps. Rules choose it as an enum; say/remedies.c has the words. */
#ifndef TARE_DOCTOR_REMEDY_H
#define TARE_DOCTOR_REMEDY_H

enum remedy_name {
    REMEDY_none,
#define REMEDY(name, text, code, setting) REMEDY_##name,
#include "doctor/facts/remedies.def"
#undef REMEDY
};

#endif /* TARE_DOCTOR_REMEDY_H */
