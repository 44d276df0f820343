/* peaks_parts.h - what the files of the peak findings share; nobody else includes it. */
#ifndef TARE_DOCTOR_PEAKS_PARTS_H
#define TARE_DOCTOR_PEAKS_PARTS_H

#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"

#define PARTS_MAX 16

/* The blocks of one stack. */
struct part {
    struct peak_part shown;
    uint32_t stack;
    uint32_t site;          /* index of the size class that had most at the peak */
    uint64_t first, last;   /* ordinals of the first and the latest birth */
    uint64_t born;          /* bytes made in all */
    uint64_t block;         /* bytes of one */
    double samples;         /* at the peak */
    bool told;
};

/* One process, and the steps of its clock in ordinals. */
struct scene {
    const struct model *model;
    struct places *places; /* NULL: no lines */
    struct arena *arena;
    uint64_t peak_bytes;
    uint64_t first_step, last_step; /* ordinals; 0: there was none */
    uint64_t steps;
    enum clock_id clock;
    bool gradients; /* there were backward passes */
    struct part parts[PARTS_MAX];
    size_t part_count;
    uint64_t batch;                /* the largest block that is made in every step; 0: not known */
    const struct place *batch_at;  /* its line; NULL: not known */
};

/* The large parts of the peak, largest first, with who holds them, and the largest block of a step. */
void parts_collect(struct scene *scene);

/* Loading modules made it, and no code of the program's own between. */
bool parts_imported(const struct model *model, uint32_t stack);

/* Words, one function for each kind of finding. */
void words_copy(struct peak_finding *out, const struct scene *scene);
void words_stacked(struct peak_finding *out, const struct scene *scene, const struct part *list);
void words_dataset(struct peak_finding *out, const struct scene *scene);
void words_intermediate(struct peak_finding *out, const struct scene *scene,
                        const struct part *part);
void words_temporary(struct peak_finding *out, const struct scene *scene);
void words_large(struct peak_finding *out, const struct scene *scene);

#endif /* TARE_DOCTOR_PEAKS_PARTS_H */
