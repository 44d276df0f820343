/* scenarios.h - what the scenarios of stacks.c and modules.c share. */
#ifndef TARE_TESTS_STACKS_SCENARIOS_H
#define TARE_TESTS_STACKS_SCENARIOS_H

#include <stdio.h>

#include "shapes.h"
#include "witness.h"

#define EXPECT(condition)                                                                        \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                     \
            failed = true;                                                                       \
        }                                                                                        \
    } while (0)

extern const char *directory;
extern bool failed;   /* of the scenario that runs */
extern bool churning; /* atomic: other threads are at work */

/* Visitors. */
void expect_all(void);       /* what holds for every walk that backtrace() can do too */
void expect_agreement(void); /* the same where other threads use the heap meanwhile */
void only_witness(void);

/* modules.c */
void scenario_plugins(void);
void scenario_relative_path(void);
void scenario_fork(void);
void scenario_no_ledger(void);
void scenario_many_closes(void);
void scenario_churn(void);
void scenario_refused(void);
void scenario_snapshot(void);

#endif /* TARE_TESTS_STACKS_SCENARIOS_H */
