/* kinds.c - the verdicts' spellings and exit codes, from kinds.def. */
#include "doctor/diagnosis.h"

const char *kind_name(enum kind kind)
{
    switch (kind) {
#define KIND(severity, name, spelling, status, says)                                               \
    case KIND_##name:                                                                              \
        return spelling;
#include "doctor/kinds.def"
#undef KIND
    }
    return "unknown";
}

bool finding_leaks(const struct finding *finding)
{
    return kind_status(finding->kind) == 1 || finding->endless;
}

int kind_status(enum kind kind)
{
    switch (kind) {
#define KIND(severity, name, spelling, status, says)                                               \
    case KIND_##name:                                                                              \
        return status;
#include "doctor/kinds.def"
#undef KIND
    }
    return 3;
}
