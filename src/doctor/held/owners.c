/* owners.c - see owners.h. */
#include "doctor/held/owners.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/facts/runtimes.h"

#define ARROWS_MAX 4 /* objects without a name in a row; a longer row is cut in the middle */

static const struct {
    uint32_t kind;
    const char *name;
} kinds[] = {
    {OWNER_MODULE, "module"},   {OWNER_FRAME, "frame"},         {OWNER_THREAD, "thread"},
    {OWNER_TYPE, "type"},       {OWNER_RUNTIME, "runtime"},     {OWNER_CYCLE, "cycle"},
    {OWNER_ATTRIBUTE, "attribute"},
    {OWNER_LOCAL, "local"},     {OWNER_CLOSURE, "closure"},     {OWNER_DEFAULT, "default"},
    {OWNER_KEY, "key"},         {OWNER_KEY_ITSELF, "key-itself"}, {OWNER_INDEX, "index"},
    {OWNER_PART, "part"},       {OWNER_NATIVE, "native"},
};

const char *owner_kind_name(uint32_t kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].kind == kind)
            return kinds[i].name;
    return "";
}

/* ---- the path ---- */

static const char *kept(const char *text, struct arena *arena)
{
    const char *copy = text[0] ? arena_text(arena, text, strlen(text)) : "";

    return copy ? copy : "";
}

/* The number of a step in the report: depending on its kind a count of libraries, an index, or a
 * count of steps left out. */
static uint64_t number_of(const struct model_owner *owner)
{
    if (owner->libraries_known)
        return owner->libraries_alone + 1;
    return owner->kind == OWNER_INDEX ? owner->index : owner->left_out;
}

static size_t read_path(const struct model *model, const struct holder_record *record,
                        struct arena *arena, const struct holder_step **out)
{
    const size_t number = (size_t)(record - model->holders) + 1;
    struct holder_step *path = NULL;
    size_t count = 0;

    *out = NULL;
    for (size_t i = 0; i < model->owner_count && count < OWNERS_STEPS_MAX; i++) {
        const struct model_owner *owner = &model->owners[i];

        if (owner->holder != number || !owner_kind_name(owner->kind)[0])
            continue;
        if (!path && !(path = arena_take(arena, OWNERS_STEPS_MAX, sizeof(*path))))
            return 0;
        path[count++] = (struct holder_step){.kind = owner->kind,
                                             .name = kept(owner->name, arena),
                                             .type = kept(owner->type, arena),
                                             .file = kept(owner->file, arena),
                                             .line = owner->line,
                                             .number = number_of(owner),
                                             .length = owner->length,
                                             .bound = owner->bound,
                                             .hits = owner->hits,
                                             .misses = owner->misses};
    }
    *out = path;
    return count;
}

/* The index at which the cycle begins; it follows the path. `count`: there is no cycle. */
static size_t cycle_at(const struct holder_step *path, size_t count)
{
    size_t at = 0;

    while (at < count && path[at].kind != OWNER_CYCLE)
        at++;
    return at;
}

size_t owners_path(const struct model *model, const struct holder_record *record,
                   struct arena *arena, const struct holder_step **out)
{
    const size_t count = read_path(model, record, arena, out);

    return cycle_at(*out, count);
}

size_t owners_cycle(const struct model *model, const struct holder_record *record,
                    struct arena *arena, const struct holder_step **out)
{
    const size_t count = read_path(model, record, arena, out), at = cycle_at(*out, count);

    *out += at;
    return count - at;
}

bool owners_rooted(const struct holder_step *path, size_t count)
{
    return count > 0 && path[0].kind < OWNER_RUNTIME;
}

bool owners_certain(const struct holder_step *path, size_t count, size_t growing)
{
    const size_t end = growing < count ? growing + 1 : count;

    for (size_t i = 0; i < end; i++)
        if (path[i].kind == OWNER_NATIVE || text_is(path[i].type, "PyCapsule"))
            return false;
    return owners_rooted(path, count);
}

bool owners_is_cache(const struct holder_step *step)
{
    return text_ends(step->type, "_lru_cache_wrapper");
}

size_t owners_growing(const struct holder_step *path, size_t count, uint64_t events)
{
    size_t longest = OWNERS_NONE;

    for (size_t i = 0; i < count; i++) {
        if (owners_is_cache(&path[i]) || (path[i].length > 0 && path[i].length >= (events + 1) / 2))
            return i;
        if (path[i].length > 1 && (longest == OWNERS_NONE || path[i].length > path[longest].length))
            longest = i;
    }
    return longest;
}

/* ---- conclusions ---- */

bool owners_bounded(const struct holder_step *path, size_t count, size_t growing)
{
    return growing < count && path[growing].bound > 0 && path[growing].length > 0 &&
           path[growing].length < path[growing].bound;
}

bool owners_full(const struct holder_step *path, size_t count, size_t growing)
{
    return growing < count && path[growing].bound > 0 && path[growing].length >= path[growing].bound;
}

static bool of_library(const struct holder_step *root)
{
    return (root->kind == OWNER_MODULE || root->kind == OWNER_TYPE) && root->file[0] &&
           runtimes_python(root->file);
}

/* The key is a number. Numbers that count up name open things (requests, tasks); a cache is read
 * by names or values. */
static bool is_numbered(const struct holder_step *step)
{
    return step->name[0] && step->name[strspn(step->name, "0123456789")] == '\0';
}

bool owners_unbounded_cache(const struct holder_step *path, size_t count, size_t growing)
{
    if (growing >= count || path[growing].bound > 0)
        return false;
    if (owners_is_cache(&path[growing]))
        return true;
    return of_library(&path[0]) && growing + 1 < count && !is_numbered(&path[growing + 1]) &&
           (path[growing + 1].kind == OWNER_KEY || path[growing + 1].kind == OWNER_KEY_ITSELF);
}

/* ---- the path as text ---- */

/* A path that is being written as text. */
struct words {
    struct text text;               /* written so far */
    const struct holder_step *path; /* the steps */
    size_t count;                   /* number of steps */
    size_t growing;                 /* index of the container that grows; SIZE_MAX: none */
};

/* A variable of the program itself needs no module's name before it. */
static const char *plain_name(const char *text)
{
    return text_begins(text, "__main__.") ? text + 9 : text;
}

/* Puts new words around the text so far: "default argument 'seen' of collect()". */
static void wrap(struct words *words, const char *before, const char *after)
{
    struct text whole = {0};

    text_put(&whole, before);
    text_put(&whole, plain_name(text_string(&words->text)));
    text_put(&whole, after);
    text_free(&words->text);
    words->text = whole;
}

static void put_root(struct words *words, const struct holder_step *step)
{
    switch (step->kind) {
    case OWNER_FRAME:
        text_print(&words->text, "%s%s", step->name[0] ? step->name : "a function",
                   text_ends(step->name, ">") ? "" : "()");
        if (step->file[0] && step->line)
            text_print(&words->text, " (%s:%u)", text_base_name(step->file), step->line);
        return;
    case OWNER_THREAD:
        text_print(&words->text, "%s", step->name[0] ? step->name : "the state of a thread");
        return;
    case OWNER_RUNTIME:
        text_print(&words->text, "%s", step->name[0] ? step->name : "the interpreter");
        return;
    case OWNER_CYCLE:
        text_print(&words->text, "a reference cycle: %s", step->type[0] ? step->type : "an object");
        return;
    default:
        text_print(&words->text, "%s", step->name[0] ? step->name : owner_kind_name(step->kind));
    }
}

static void put_element(struct words *words, size_t at)
{
    const struct holder_step *step = &words->path[at];
    const struct holder_step *container = &words->path[at - 1];

    if (words->growing == at - 1 && container->length != 1)
        text_put(&words->text, "[…]");
    else if (step->kind == OWNER_INDEX)
        text_print(&words->text, "[%llu]", (unsigned long long)step->number);
    else
        text_print(&words->text, "[%s]", step->name[0] ? step->name : "…");
}

static bool is_arrow(const struct holder_step *step)
{
    return step->kind == OWNER_NATIVE || step->kind == OWNER_PART;
}

static const char *arrow_name(const struct holder_step *step)
{
    return step->name[0] ? step->name : step->type[0] ? step->type : "an object";
}

/* Writes a row of objects without names and leaves out its middle. Returns the index of the last
 * one. */
static size_t put_arrows(struct words *words, size_t at)
{
    size_t end = at;

    while (end < words->count && is_arrow(&words->path[end]))
        end++;
    for (size_t i = at; i < end; i++) {
        if (end - at > ARROWS_MAX && i == at + 1) {
            text_put(&words->text, " → …");
            i = end - 1;
        }
        text_print(&words->text, " → %s", arrow_name(&words->path[i]));
    }
    return end - 1;
}

static void put_attribute(struct words *words, size_t at)
{
    const struct holder_step *step = &words->path[at];
    const bool same = at + 1 < words->count &&
                      strcmp(arrow_name(&words->path[at + 1]), step->type) == 0;

    text_print(&words->text, ".%s", step->name);
    if (text_is(step->name, "grad_fn") && step->type[0] && !same)
        text_print(&words->text, " → %s", step->type);
}

static void put_local(struct words *words, size_t at)
{
    const struct holder_step *step = &words->path[at];
    char before[128];

    (void)snprintf(before, sizeof(before), "local '%.80s' of ", step->name);
    if (words->path[at - 1].kind == OWNER_FRAME)
        wrap(words, before, "");
    else
        text_print(&words->text, " → local '%s'", step->name);
}

static void put_cache(struct words *words, const struct holder_step *step)
{
    char after[64] = " (maxsize=None)";

    if (step->bound > 0)
        (void)snprintf(after, sizeof(after), " (maxsize=%llu)", (unsigned long long)step->bound);
    wrap(words, "the cache of functools.lru_cache on ", after);
}

/* Writes one or several steps. Returns the index of the last one. */
static size_t put_step(struct words *words, size_t at)
{
    const struct holder_step *step = &words->path[at];
    char before[128];

    switch (step->kind) {
    case OWNER_ATTRIBUTE:
        put_attribute(words, at);
        break;
    case OWNER_LOCAL:
        put_local(words, at);
        break;
    case OWNER_CLOSURE:
        (void)snprintf(before, sizeof(before), "closure variable '%.80s' of ", step->name);
        wrap(words, before, "");
        break;
    case OWNER_DEFAULT:
        (void)snprintf(before, sizeof(before), "default argument '%.80s' of ", step->name);
        wrap(words, before, "()");
        break;
    case OWNER_KEY:
    case OWNER_INDEX:
        put_element(words, at);
        break;
    case OWNER_KEY_ITSELF:
        text_put(&words->text, text_has(words->path[at - 1].type, "set") ? " → a member" : " → a key");
        break;
    case OWNER_NATIVE:
    case OWNER_PART:
        return put_arrows(words, at);
    default: /* a root in the middle of a path */
        text_print(&words->text, " → %s", arrow_name(step));
    }
    return at;
}

const char *owners_text(const struct holder_step *path, size_t count, size_t growing,
                        struct arena *arena)
{
    struct words words = {.path = path, .count = count, .growing = growing};
    const char *out;

    if (count == 0)
        return NULL;
    put_root(&words, &path[0]);
    for (size_t i = 1; i < count; i++) {
        i = put_step(&words, i);
        if (owners_is_cache(&path[i])) {
            put_cache(&words, &path[i]);
            break; /* the remaining steps are inside the cache */
        }
    }
    out = arena_text(arena, text_string(&words.text), words.text.length);
    text_free(&words.text);
    return out;
}
