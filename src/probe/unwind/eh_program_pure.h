/* eh_program_pure.h - the small machine that unwind tables are programs for. */
#ifndef TARE_PROBE_EH_PROGRAM_PURE_H
#define TARE_PROBE_EH_PROGRAM_PURE_H

#include "probe/unwind/eh_cursor_pure.h"

#define EH_REMEMBERED_MAX 8

enum { EH_REGISTER_BP = 6, EH_REGISTER_SP = 7, EH_REGISTER_RA = 16 };

enum eh_ra { EH_RA_UNKNOWN, EH_RA_AT_CFA, EH_RA_UNDEFINED };

enum eh_cfa {
    EH_CFA_UNKNOWN,
    EH_CFA_SP,   /* rsp + cfa_offset */
    EH_CFA_BP,   /* rbp + cfa_offset */
    EH_CFA_AT_BP /* the word at rbp + cfa_offset */
};

enum eh_bp {
    EH_BP_SAME,   /* rbp is still the caller's */
    EH_BP_AT_CFA, /* saved at CFA + bp_offset */
    EH_BP_AT_BP,  /* saved at rbp + bp_offset */
    EH_BP_LOST
};

struct eh_row {
    enum eh_cfa cfa;
    enum eh_bp bp;
    int32_t cfa_offset;
    int32_t bp_offset;
};

struct eh_rules {
    struct eh_row row;
    enum eh_ra ra;
    int32_t ra_offset;
};

struct eh_common {
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t encoding; /* of addresses in its entries */
    bool sized;       /* entries have an augmentation of stated size */
    bool signal;
};

struct eh_machine {
    struct eh_cursor cursor;
    const struct eh_common *common;
    uintptr_t location;
    uintptr_t pc;
    struct eh_rules now, initial;
    struct eh_rules remembered[EH_REMEMBERED_MAX];
    unsigned depth;
};

/* Runs from the machine's cursor until the row that holds at pc is complete. False: broken. */
bool eh_program_run(struct eh_machine *machine);

#endif /* TARE_PROBE_EH_PROGRAM_PURE_H */
