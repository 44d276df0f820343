/* fake.h - a process whose ledger is made by hand: one size class, one site, whole numbers. */
#ifndef TARE_TESTS_UNIT_FAKE_H
#define TARE_TESTS_UNIT_FAKE_H

#include "doctor/facts/diagnosis.h"
#include "doctor/measure/visit.h"
#include "ledger/model.h"
#include "ledger/writer.h"

#define SIZE      1000u
#define STEPS_MAX 400u
#define SECOND    1000000000ull

struct places; /* doctor/source/places.h */

/* A program that makes one block per step, kept or not as the test says. */
struct fake {
    struct model model;
    struct model_site site;
    struct model_frame frame;
    struct step_record steps[STEPS_MAX];
    struct model_block blocks[STEPS_MAX];
    struct death_record deaths[STEPS_MAX];
};

struct fake *fake_new(void); /* the only one: a second call begins again */

/* Ends a step after which `alive` blocks are there. */
void fake_step(struct fake *fake, uint32_t alive);

void fake_block(struct fake *fake, uint64_t birth); /* that is alive */
void fake_death(struct fake *fake, uint64_t birth, uint64_t death);

/* One block per step, all kept. */
struct fake *fake_leak(unsigned steps);

/* A leak whose blocks are all gone at the end, after a collection that released `freed` bytes. */
struct fake *fake_collected(uint64_t freed);

/* JavaScript runs in it, its steps are marked, and it has ended. */
void fake_script(struct fake *fake);

struct process_report judged(const struct fake *fake, const struct run *run);

/* A look at the process whose clock and series are measured, and nothing else. The tests' own arena is never
 * freed; visit_free frees the rest. */
struct visit *fake_visit(const struct fake *fake);

/* Stack i + 1 of the process becomes a Python function at line lines[i] of /app/a.py. The places of the
 * process; at most 8 lines. */
struct places *fake_places(struct fake *fake, const unsigned *lines, size_t count);

/* The first fact of a finding with this id; NULL: it has none. */
const struct fact *fake_fact(const struct finding *finding, enum fact_id id);

#endif /* TARE_TESTS_UNIT_FAKE_H */
