/* digest.h - what the live view shows of one judgement: short rows, long pages, and two curves.
 *
 * A judgement takes up to a second for a run with many sites, and reads mapped files that may be cut short
 * at any time. So a child process makes it (live/judgement.h) and sends the digest through a pipe.
 * Therefore a digest is flat: arrays of records, and one array of texts that they refer to. All texts are
 * sentences of the doctor, harmless on a terminal, and not folded.
 */
#ifndef TARE_LIVE_DIGEST_H
#define TARE_LIVE_DIGEST_H

#include "base/err.h"
#include "base/text.h"
#include "doctor/facts/diagnosis.h"

#define DIGEST_POINTS 256 /* of the curves */

/* A "text" is an offset into digest.texts; 0 is the empty text. */
struct digest_process {
    uint32_t pid, generation;
    uint32_t depth;          /* in the tree of processes; 0: the first */
    uint32_t clock;          /* enum clock_id: the chosen clock */
    uint32_t name;           /* text: the program */
    uint32_t ended;          /* text: how it ended */
    uint32_t page;           /* text: what Enter opens */
    uint32_t verdict;        /* enum kind */
    uint64_t ticks;          /* of the chosen clock */
    uint64_t live, resident; /* bytes at the last step */
    uint64_t device;         /* bytes in use on devices at the last step */
    double growth;           /* bytes per step of all leaks found; 0: none */
};

struct digest_finding {
    uint32_t pid, id; /* process, and number of the finding there */
    uint32_t kind;    /* enum kind */
    uint32_t note;    /* 1: it does not affect the verdict */
    uint32_t where;   /* text: file, line, function */
    uint32_t page;    /* text: what Enter opens */
    uint32_t summary; /* text: one sentence */
    uint32_t unit;    /* text: the unit of the rate: "step", "second", "step on device 0" */
    double rate;      /* bytes per unit */
};

struct digest_site {
    uint32_t pid;
    uint32_t where;           /* text: file, line, function */
    uint32_t page;            /* text: what Enter opens */
    uint32_t map;             /* 1: mappings, 0: heap blocks */
    uint32_t device;          /* number of the device whose blocks it makes, + 1; 0: memory of the host */
    uint64_t live, allocated; /* bytes, estimated */
    uint64_t grown;           /* live bytes that were allocated in the second half of the run */
    double growth;            /* the same in bytes per step */
};

struct digest_point {
    uint64_t time;           /* CLOCK_MONOTONIC, in ns */
    uint64_t resident, live; /* bytes of all processes together */
};

struct digest_head {
    uint64_t mark; /* DIGEST_MARK */
    uint64_t process_count, finding_count, site_count, point_count; /* lengths of the arrays */
    uint64_t text_size;       /* bytes of all texts */
    uint32_t verdict;         /* enum kind */
    uint32_t answer, program; /* texts */
    uint32_t main;            /* index of the process that speaks for the run, if there are any */
    uint64_t started;         /* CLOCK_MONOTONIC, in ns: when the run began */
    uint64_t end;             /* the same: when the latest record was written */
    double confidence;        /* of the verdict, 0 to 1 */
};

struct digest {
    struct digest_head head;
    struct digest_process *processes; /* owned; parents before children */
    struct digest_finding *findings;  /* owned; most severe first */
    struct digest_site *sites;        /* owned */
    struct digest_point *points;      /* owned; by time */
    struct text texts;                /* begins with the empty text */
};

/* Judges the run at `path`. */
int digest_make(struct digest *out, const char *path, struct why *why);

/* Writes a digest to a pipe, and reads it back from the bytes. digest_parse refuses inconsistent bytes. */
int digest_write(const struct digest *digest, int fd);
int digest_parse(struct digest *out, const void *bytes, size_t size, struct why *why);

void digest_free(struct digest *digest); /* accepts a zeroed one */

/* The process that speaks for the run, and its clock. NULL, CLOCK_NONE: there is none. */
const struct digest_process *digest_main(const struct digest *digest);
enum clock_id digest_clock(const struct digest_process *process); /* accepts NULL */

const char *digest_text(const struct digest *digest, uint32_t text); /* never NULL */

#endif /* TARE_LIVE_DIGEST_H */
