/* digest.h - what the live view shows of one judgement: short rows, long pages, and two curves.
 *
 * A judgement takes up to a second of a run with many sites, and reads mapped files that may be cut
 * short under it. So a child process makes it (live/judgement.h) and sends the digest through a
 * pipe. It is flat for that: arrays of records and one body of texts that they point into. All text
 * is the doctor's, harmless to a terminal, and never folded.
 */
#ifndef TARE_LIVE_DIGEST_H
#define TARE_LIVE_DIGEST_H

#include "base/err.h"
#include "base/text.h"
#include "doctor/facts/diagnosis.h"

#define DIGEST_POINTS 256 /* of the curves */

/* Texts are offsets into digest.texts; 0 is the empty one. */
struct digest_process {
    uint32_t pid, generation, depth; /* depth: in the tree of processes */
    uint32_t clock;                  /* enum clock_id: the one that was chosen */
    uint32_t name, ended, page;      /* texts */
    uint32_t verdict;                /* enum kind */
    uint64_t ticks, live, resident;
    double growth; /* bytes per step of the leaks that were found; 0: none */
};

struct digest_finding {
    uint32_t pid, id;
    uint32_t kind;        /* enum kind */
    uint32_t note;        /* 1: it does not decide the verdict */
    uint32_t where, page; /* texts; where: file, line, function */
    uint32_t summary;     /* text */
    uint32_t unit;        /* text: what the rate is told by */
    double rate;
};

struct digest_site {
    uint32_t pid;
    uint32_t where, page; /* texts */
    uint32_t map;         /* 1: a mapping, not the heap */
    uint64_t live, allocated;
    uint64_t grown; /* of the live bytes, those born in the second half of the run */
    double growth;  /* bytes per step */
};

struct digest_point {
    uint64_t time, resident, live;
};

struct digest_head {
    uint64_t mark; /* DIGEST_MARK */
    uint64_t process_count, finding_count, site_count, point_count, text_size;
    uint32_t verdict; /* enum kind */
    uint32_t answer, program;
    uint32_t main;    /* process that speaks for the run, index; it may have none */
    uint64_t started; /* CLOCK_MONOTONIC */
    uint64_t end;     /* the same: when its last sign of life was written */
    double confidence;
};

struct digest {
    struct digest_head head;
    struct digest_process *processes; /* owned, as the other arrays: parents before children */
    struct digest_finding *findings;  /* severest first */
    struct digest_site *sites;
    struct digest_point *points; /* by time */
    struct text texts;           /* begins with the empty one */
};

/* Judges the run at `path`. */
int digest_make(struct digest *out, const char *path, struct why *why);

/* The same bytes on the other side of a pipe. Refuses what does not add up. */
int digest_write(const struct digest *digest, int fd);
int digest_parse(struct digest *out, const void *bytes, size_t size, struct why *why);

void digest_free(struct digest *digest); /* accepts a zeroed one */

/* The process that speaks for the run, and its clock; NULL, CLOCK_NONE: there is none. */
const struct digest_process *digest_main(const struct digest *digest);
enum clock_id digest_clock(const struct digest_process *process); /* accepts NULL */

const char *digest_text(const struct digest *digest, uint32_t text); /* never NULL */

#endif /* TARE_LIVE_DIGEST_H */
