/* model.h - one process's ledger as plain arrays, checked and owned.
 *
 * The result of model_load is consistent: every id is in range or 0, stacks end, spans do
 * not overlap, strings are terminated. The doctor works on this and on nothing else, so the same
 * code judges a live ledger, a finished one and a simulated one.
 */
#ifndef TARE_LEDGER_MODEL_H
#define TARE_LEDGER_MODEL_H

#include "ledger/known_texts.h"
#include "ledger/reader.h"
#include "ledger/site_kind.h"
#include "ledger/step.h"

#define MODEL_DEPTH_MAX 512 /* frames of one stack */

struct model_module {
    uint64_t base, start, end;
    const char *path; /* owned by the model */
    uint8_t build_id[24];
    uint32_t build_id_size;
    uint64_t loaded, unloaded;
};

/* A Python function. */
struct model_code {
    const char *file, *name; /* owned by the model; "": not known */
    uint32_t first_line;
    uint32_t version;     /* as PY_VERSION_HEX */
    const uint8_t *table; /* table_size bytes, owned by the model; NULL: none */
    size_t table_size;
};

/* A JavaScript function. */
struct model_script {
    const char *file, *name; /* owned by the model; "": not known */
};

struct model_frame {
    uint32_t caller; /* id of the caller's frame, 0: outermost */
    uint32_t kind;   /* enum frame_kind; 0: no such frame */
    uint32_t unit;   /* native: module, Python: code, JavaScript: script number + 1; 0: none */
    uint64_t offset;
};

struct model_site {
    uint32_t stack; /* id of the innermost frame; 0: unknown */
    uint32_t class_index;
    uint32_t kind; /* enum site_kind; 0: an empty slot */
    uint64_t first, last, births, deaths;
    uint64_t born_weight, dead_weight, live_weight, peak_weight;
    uint32_t ages[LEDGER_AGES];
    uint64_t live_blocks; /* sampled blocks alive, counted in blocks[] */
    uint64_t live_bytes;  /* their true size */
};

struct model_block {
    uint64_t address, size, weight, birth;
    uint32_t site; /* index into sites + 1, 0: unknown */
    uint32_t grown;
    uint32_t holder; /* of a tensor: enum tensor_holder */
    uint32_t native; /* id of the innermost frame of its native part (block_record); 0: none known */
};

struct model_scope {
    const char *name;
    uint64_t entered, left, allocated;
    int64_t kept;
};

struct model_owner {
    uint32_t holder, position, kind, line; /* as struct owner_record; holder is checked */
    const char *name, *type, *file;        /* never NULL */
    bool libraries_known;                  /* of a root: libraries_alone was counted */
    uint64_t libraries_alone, index, left_out, length, bound, hits, misses;
};

/* A function measured line by line (line 0), or a line of it. */
struct model_line {
    uint32_t function; /* index into lines + 1, of the function */
    uint32_t line, first_line, flags;
    const char *file, *name; /* never NULL */
    uint64_t hits, added, released, others_added, others_released, time_ns;
    int64_t resident, least, most; /* least and most: 0 without hits */
};

/* A function that was compiled again and again, as called from one line. */
struct model_trace {
    const char *function, *file, *call_file, *argument; /* never NULL */
    uint32_t line, call_line, change; /* change: enum trace_change */
    uint64_t count, live, first, last; /* first, last: ordinals */
    uint64_t recent[LEDGER_RECENT];    /* ordinals of the latest, oldest first */
    size_t recent_count;
};

struct model_registry {
    const char *name; /* never NULL */
    enum known_text store;
    struct registry_record record;
};

struct model_pool {
    const char *name; /* never NULL */
    struct pool_record record;
};

struct model_device {
    const char *name; /* never NULL */
    struct device_record record;
};

/* Of the run's own ledger. */
struct model_package {
    const char *path, *name, *version; /* never NULL; `path`: a file or a folder */
};

struct model_note {
    uint64_t time, ordinal;
    const char *text;
    enum known_text known; /* what it begins with */
};

struct model {
    struct ledger_header head;
    const char *program, *command, *allocator, *off_reason; /* never NULL */
    struct model_module *modules;
    struct model_code *code;
    struct model_script *scripts;
    struct model_frame *frames; /* id 1 is frames[0] */
    struct model_site *sites;
    struct model_block *blocks;  /* by address */
    struct death_record *deaths; /* oldest first */
    struct step_record *steps;   /* by ordinal, spans disjoint */
    struct map_record *maps;     /* by address */
    struct model_scope *scopes;
    struct intervention_record *interventions;
    struct resident_record *residents; /* oldest first */
    struct holder_record *holders; /* as searched for, oldest first; site and unit are checked */
    struct model_owner *owners;    /* paths, each in order */
    struct array_record *arrays;   /* of the holders; checked */
    struct phase_record *phases;   /* oldest first; units are checked */
    struct model_trace *traces;
    struct model_registry *registries;
    struct model_pool *pools;
    struct model_device *devices;
    struct model_line *lines;
    struct model_note *notes;
    size_t trace_count, registry_count, pool_count, device_count;
    size_t module_count, frame_count, site_count, block_count, death_count, step_count, map_count;
    size_t code_count, script_count;
    size_t scope_count, intervention_count, note_count, holder_count, resident_count;
    size_t owner_count, array_count, line_count, phase_count;
    uint64_t deaths_seen; /* ever; more than death_count when the ring has turned over */
    struct totals_record totals;
    struct peak_record peak;
    struct cost_record costs[COST_KINDS]; /* by enum cost_kind */
    bool costs_known; /* an older probe did not count them */
    uint64_t lost[64]; /* by enum lost_reason */
    /* The ledger of the run itself (ROLE_RUN) has these instead. */
    struct sample_record *samples;
    struct process_record *processes;
    const char **process_names;    /* beside processes */
    const char **process_untraced; /* beside processes; NULL: traced, or nothing to say */
    struct limit_record *limits;
    const char **limit_paths;
    struct account_record *accounts;
    struct source_record *sources;
    const char **source_paths; /* beside sources */
    struct folded_record *folded;
    struct model_package *packages;
    size_t package_count;
    struct effort_record effort;
    size_t sample_count, process_count, limit_count, account_count, source_count, folded_count;
    char *texts; /* owns every string above */
    bool mapped; /* it was loaded from a mapped file */
    size_t text_size;
    uint8_t *tables; /* owns every line table */
    size_t tables_size;
    bool cut; /* the file was shorter than its header says: its end is missing */
    bool brief; /* only what is known from the header was read */
};

/* Reads everything. The caller frees *out with model_free. */
int model_load(struct model **out, const void *bytes, size_t size, struct why *why);
struct filemap; /* base/filemap.h */
/* The same from a mapped file, whose pages do not stay in our resident size. */
int model_load_map(struct model **out, const struct filemap *map, struct why *why);
/* Only the header and what it names; of a run's own ledger, everything. */
int model_load_brief(struct model **out, const struct filemap *map, struct why *why);
/* The same from a file that is being written. */
int model_load_file(struct model **out, const char *path, struct why *why);
void model_free(struct model *model); /* accepts NULL */

/* Is the model consistent, as the comment at the top of this file says? For checks of our own side
 * (base/invariant.h) and for tests: a ledger may hold anything, and what does not fit is not loaded. */
bool model_is_valid(const struct model *model);

/* Changes the model as if the process had been watched from this time on (CLOCK_MONOTONIC,
 * nanoseconds). */
void model_since(struct model *model, uint64_t time);

/* Live bytes and blocks of the heap at the last summing, and of one size class. */
uint64_t model_live_bytes(const struct model *model);
uint64_t model_live_blocks(const struct model *model);
uint64_t model_class_blocks(const struct model *model, unsigned class_index);
uint64_t model_class_bytes(const struct model *model, unsigned class_index);

/* The last interval of time that the ledger has. */
uint64_t model_last_ordinal(const struct model *model);

/* Mean weight of a sampled block of the site; 0: it has none. Used for dead blocks, whose weight is
 * not recorded. */
double model_mean_weight(const struct model_site *site);
/* The same in blocks of this size; 1 where it is not known. */
double model_mean_units(const struct model_site *site, uint64_t size);

/* A whole run: the directory's ledgers, the run's own first if it is there. */
struct run {
    struct model *own;        /* NULL when `tare run` left none */
    struct model **processes; /* by start time */
    char *directory;          /* owned: where its files lie */
    char **refused;           /* one line for each ledger that could not be read */
    size_t process_count, refused_count;
    size_t unbegun; /* ledgers whose writer has not written their first word yet, or died before */
    bool going_on;     /* a `tare run` of this user on this machine is writing it now */
    bool started_here; /* this very process started the program; only `tare run` sets it */
    uint64_t since; /* run_read gives models as of this time (model_since); 0: from the start */
};

/* `path` is a run directory or one ledger file. */
int run_load(struct run *out, const char *path, struct why *why);

/* The same with brief models of the processes, of which there may be thousands; run_read reads each
 * when it is needed. */
int run_load_brief(struct run *out, const char *path, struct why *why);

/* Judge only what came after this time (model_since); 0: all. Once, after loading. */
void run_since(struct run *run, uint64_t time);

/* The whole model of a process, which the caller gives back with run_give_back. */
int run_read(const struct run *run, size_t process, struct model **out, struct why *why);
void run_give_back(const struct run *run, size_t process, struct model *model);
void run_free(struct run *run);

/* Is a `tare run` of this user, on this machine, writing the run in `directory` now? The process
 * that the run names must belong to this user and have the run's ledger mapped for writing; sent
 * files cannot fake that. */
bool run_going_on(const char *directory, const struct model *own);

/* The innermost frame of a stack; NULL: it has none. */
static inline const struct model_frame *model_frame(const struct model *model, uint32_t stack)
{
    return stack > 0 && stack <= model->frame_count ? &model->frames[stack - 1] : NULL;
}

/* The same of a site, by its index. */
static inline const struct model_frame *model_site_frame(const struct model *model, uint32_t site)
{
    return site < model->site_count ? model_frame(model, model->sites[site].stack) : NULL;
}

/* enum frame_kind; 0: no frame. */
static inline uint32_t model_frame_kind(const struct model_frame *frame)
{
    return frame ? frame->kind : 0;
}

#endif /* TARE_LEDGER_MODEL_H */
