/* fake.h - a process whose ledger is made by hand: one size class, one site, whole numbers. */
#ifndef TARE_TESTS_UNIT_FAKE_H
#define TARE_TESTS_UNIT_FAKE_H

#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"
#include "ledger/writer.h"

#define SIZE      1000u
#define STEPS_MAX 400u
#define SECOND    1000000000ull

/* A program that makes one block per step, kept or not as the test says. */
struct fake {
    struct model model;
    struct model_site site;
    struct model_frame frame;
    struct step_record steps[STEPS_MAX];
    struct model_block blocks[STEPS_MAX];
    struct death_record deaths[STEPS_MAX];
};

struct fake *fake_new(void); /* each test has one */

/* Ends a step after which `alive` blocks are there. */
void fake_step(struct fake *fake, uint32_t alive);

void fake_block(struct fake *fake, uint64_t birth); /* that is alive */
void fake_death(struct fake *fake, uint64_t birth, uint64_t death);

/* One block per step, all kept. */
struct fake *fake_leak(unsigned steps);

/* A leak whose blocks are all gone at the end, after a collection that released `freed` bytes. */
struct fake *fake_collected(uint64_t freed);

struct process_report judged(const struct fake *fake, const struct run *run);

#endif /* TARE_TESTS_UNIT_FAKE_H */
