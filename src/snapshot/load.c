/* load.c - snapshot_load: the document becomes arrays.
 *
 * Its own counts (node_count, …) are not believed: arrays grow with the actual data. V8 writes in
 * this order: the fields of the rows, nodes, edges, places, strings. When the strings come it is
 * known which of them name something, and only those are kept.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "snapshot/snapshot.h"

#define FIELDS_MAX 16 /* numbers in a row */
#define ASKED_MAX  5  /* of these, the ones that are used */
#define TYPES_MAX  32

/* The position of each field in a row of numbers; NO_FIELD: missing. */
#define NO_FIELD UINT32_MAX
struct row {
    uint32_t fields; /* numbers in a row; 0: not known yet */
    uint32_t at[ASKED_MAX]; /* as named in the tables below */
    uint64_t numbers[FIELDS_MAX];
    uint32_t filled;
};

static const char *const node_fields[] = {"type", "name", "self_size", "edge_count", "id"};
static const char *const edge_fields[] = {"type", "name_or_index", "to_node"};
static const char *const place_fields[] = {"object_index", "line", "column"};

static const struct {
    const char *name;
    uint32_t type;
} node_types[] = {{"array", NODE_ARRAY},
                  {"string", NODE_STRING},
                  {"concatenated string", NODE_STRING},
                  {"sliced string", NODE_STRING},
                  {"number", NODE_STRING},
                  {"bigint", NODE_STRING},
                  {"object", NODE_OBJECT},
                  {"regexp", NODE_OBJECT},
                  {"code", NODE_CODE},
                  {"closure", NODE_CLOSURE},
                  {"native", NODE_NATIVE},
                  {"synthetic", NODE_SYNTHETIC}},
  edge_types[] = {{"context", EDGE_CONTEXT},   {"element", EDGE_ELEMENT},   {"property", EDGE_PROPERTY},
                  {"internal", EDGE_INTERNAL}, {"shortcut", EDGE_SHORTCUT}, {"weak", EDGE_WEAK}};

struct loader {
    struct json json;
    struct snapshot *out;
    struct why *why;
    struct row nodes, edges, places;
    uint8_t node_type[TYPES_MAX], edge_type[TYPES_MAX]; /* index: the snapshot's number of the type */
    uint8_t *wanted; /* owned; per string: does it name something? */
    size_t wanted_count, node_room, edge_room, place_room, byte_room;
};

static int bad(struct loader *loader, const char *what)
{
    return fail(loader->why, ERR_FORMAT, "this is not a heap snapshot of V8: %s", what);
}

/* Room for one more, of at most `most`. */
static int grow(struct loader *loader, void **array, size_t *room, size_t count, size_t size,
                size_t most)
{
    const size_t wanted = *room ? 2 * *room : 1024;
    void *grown;

    if (count < *room)
        return 0;
    if (count >= most)
        return fail(loader->why, ERR_FORMAT, "the heap snapshot has more than %zu parts of a kind",
                    most);
    grown = mem_resize(*array, wanted < most ? wanted : most, size);
    if (!grown)
        return fail(loader->why, ERR_NOMEM, "no room for the heap snapshot");
    *array = grown;
    *room = wanted < most ? wanted : most;
    return 0;
}

/* ---- what the rows are made of ---- */

static int read_fields(struct loader *loader, struct row *row, const char *const *names, size_t count)
{
    enum json_token token = json_next(&loader->json);

    row->fields = 0;
    for (size_t i = 0; i < ASKED_MAX; i++)
        row->at[i] = NO_FIELD;
    if (token != JSON_LIST)
        return bad(loader, "no list of fields");
    while ((token = json_next(&loader->json)) == JSON_STRING) {
        if (row->fields == FIELDS_MAX)
            return bad(loader, "too many fields");
        for (size_t i = 0; i < count; i++)
            if (strcmp(loader->json.text, names[i]) == 0)
                row->at[i] = row->fields;
        row->fields++;
    }
    for (size_t i = 0; i < count; i++)
        if (row->at[i] == NO_FIELD)
            return bad(loader, "a field is missing");
    return token == JSON_UNLIST ? 0 : bad(loader, "a list of fields that does not end");
}

/* The first member of a list of lists names the types; the others do not matter. */
static int read_types(struct loader *loader, bool of_nodes)
{
    uint8_t *types = of_nodes ? loader->node_type : loader->edge_type;
    size_t count = 0;
    enum json_token token;

    if (json_next(&loader->json) != JSON_LIST || json_next(&loader->json) != JSON_LIST)
        return bad(loader, "no list of types");
    while ((token = json_next(&loader->json)) == JSON_STRING && count < TYPES_MAX) {
        const size_t known = of_nodes ? sizeof(node_types) / sizeof(node_types[0])
                                      : sizeof(edge_types) / sizeof(edge_types[0]);

        for (size_t i = 0; i < known; i++)
            if (strcmp((of_nodes ? node_types : edge_types)[i].name, loader->json.text) == 0)
                types[count] = (uint8_t)(of_nodes ? node_types : edge_types)[i].type;
        count++;
    }
    if (token != JSON_UNLIST)
        return bad(loader, "a list of types that does not end");
    while ((token = json_next(&loader->json)) != JSON_UNLIST)
        if (!json_skip(&loader->json, token))
            return bad(loader, "a list of types that does not end");
    return 0;
}

/* Skips the value of a key. */
static int pass(struct loader *loader)
{
    return json_skip(&loader->json, json_next(&loader->json)) ? 0 : bad(loader, "it ends too early");
}

static int read_meta(struct loader *loader)
{
    enum json_token token;
    int err = json_next(&loader->json) == JSON_OPEN ? 0 : bad(loader, "no description of the rows");

    while (!err && (token = json_next(&loader->json)) != JSON_CLOSE) {
        const char *key = loader->json.text;

        if (token != JSON_STRING)
            return bad(loader, "no description of the rows");
        if (strcmp(key, "node_fields") == 0)
            err = read_fields(loader, &loader->nodes, node_fields, 5);
        else if (strcmp(key, "edge_fields") == 0)
            err = read_fields(loader, &loader->edges, edge_fields, 3);
        else if (strcmp(key, "location_fields") == 0)
            err = read_fields(loader, &loader->places, place_fields, 3);
        else if (strcmp(key, "node_types") == 0)
            err = read_types(loader, true);
        else if (strcmp(key, "edge_types") == 0)
            err = read_types(loader, false);
        else
            err = pass(loader);
    }
    return err;
}

static int read_head(struct loader *loader)
{
    enum json_token token;
    int err = json_next(&loader->json) == JSON_OPEN ? 0 : bad(loader, "no head");

    while (!err && (token = json_next(&loader->json)) != JSON_CLOSE) {
        if (token != JSON_STRING)
            return bad(loader, "no head");
        err = strcmp(loader->json.text, "meta") == 0 ? read_meta(loader) : pass(loader);
    }
    return err;
}

/* ---- rows ---- */

static uint32_t bounded(uint64_t number, uint32_t most)
{
    return number < most ? (uint32_t)number : most;
}

static uint64_t field(const struct row *row, unsigned which)
{
    return row->numbers[row->at[which]];
}

/* A type that is not in the snapshot's list is NODE_OTHER or EDGE_OTHER. */
static uint32_t kind_of(const struct row *row, const uint8_t types[TYPES_MAX])
{
    return field(row, 0) < TYPES_MAX ? types[field(row, 0)] : 0u;
}

static int add_node(struct loader *loader)
{
    struct snapshot *out = loader->out;
    const struct row *row = &loader->nodes;
    void *array = out->nodes;
    /* One more at the end bounds the edges of the last node. */
    int err = grow(loader, &array, &loader->node_room, out->node_count + 1, sizeof(*out->nodes),
                   SNAPSHOT_NODES);

    out->nodes = array;
    if (err)
        return err;
    if (field(row, 3) > SNAPSHOT_EDGES)
        return bad(loader, "a node with more edges than there may be");
    out->nodes[out->node_count++] =
        (struct heap_node){.name = bounded(field(row, 1), UINT32_MAX),
                           .first = (uint32_t)field(row, 3), /* the count, until all nodes are read */
                           .id = bounded(field(row, 4), UINT32_MAX),
                           .size = bounded(field(row, 2), NODE_SIZE_MOST) & NODE_SIZE_MOST,
                           .type = kind_of(row, loader->node_type) & 15u};
    return 0;
}

static int add_edge(struct loader *loader)
{
    struct snapshot *out = loader->out;
    const struct row *row = &loader->edges;
    const uint64_t to = field(row, 2) / loader->nodes.fields;
    void *array = out->edges;
    int err = grow(loader, &array, &loader->edge_room, out->edge_count, sizeof(*out->edges),
                   SNAPSHOT_EDGES);

    out->edges = array;
    if (err)
        return err;
    if (to >= out->node_count)
        return bad(loader, "an edge to a node that is not there");
    out->edges[out->edge_count++] =
        (struct heap_edge){.name = bounded(field(row, 1), UINT32_MAX),
                           .to = (uint32_t)to & 0x1fffffff,
                           .type = kind_of(row, loader->edge_type) & 7u};
    return 0;
}

static int add_place(struct loader *loader)
{
    struct snapshot *out = loader->out;
    const struct row *row = &loader->places;
    const uint64_t node = loader->nodes.fields ? field(row, 0) / loader->nodes.fields : 0;
    void *array = out->places;
    int err = grow(loader, &array, &loader->place_room, out->place_count, sizeof(*out->places),
                   SNAPSHOT_PLACES);

    out->places = array;
    if (!err && node < out->node_count && field(row, 1) < UINT32_MAX)
        out->places[out->place_count++] =
            (struct heap_place){.node = (uint32_t)node,
                                .line = (uint32_t)field(row, 1) + 1,
                                .column = (uint32_t)field(row, 2) + 1};
    return err;
}

static int read_rows(struct loader *loader, struct row *row, int (*add)(struct loader *))
{
    enum json_token token;
    int err = 0;

    if (row->fields == 0 || loader->nodes.fields == 0)
        return bad(loader, "rows before their description");
    if (json_next(&loader->json) != JSON_LIST)
        return bad(loader, "its rows are not a list");
    row->filled = 0;
    while (!err && (token = json_next(&loader->json)) == JSON_NUMBER) {
        row->numbers[row->filled++] = loader->json.number;
        if (row->filled == row->fields) {
            row->filled = 0;
            err = add(loader);
        }
    }
    if (!err && (token != JSON_UNLIST || row->filled != 0))
        err = bad(loader, "rows that end in the middle");
    return err;
}

/* ---- strings ---- */

static void want(struct loader *loader, uint32_t string)
{
    if (string < loader->wanted_count)
        loader->wanted[string] = 1;
}

static bool has_index(uint32_t type)
{
    return type == EDGE_ELEMENT || type == EDGE_OTHER;
}

/* Contents of strings are not kept, except names in the scope of a function: these are strings that
 * a hidden edge of a code object leads to. */
static void want_names(struct loader *loader)
{
    const struct snapshot *out = loader->out;

    for (size_t i = 0; i < out->node_count; i++) {
        if (out->nodes[i].type != NODE_STRING)
            want(loader, out->nodes[i].name);
        for (uint32_t e = out->nodes[i].first; e < out->nodes[i + 1].first; e++) {
            const struct heap_edge *edge = &out->edges[e];

            if (!has_index(edge->type))
                want(loader, edge->name);
            else if (edge->type == EDGE_OTHER && out->nodes[i].type == NODE_CODE)
                want(loader, out->nodes[edge->to].name);
        }
    }
}

static int keep_text(struct loader *loader, size_t *room)
{
    struct snapshot *out = loader->out;
    const size_t size = loader->json.length + 1;
    const size_t number = out->text_count;
    void *array = out->texts;
    int err = grow(loader, &array, room, number, sizeof(*out->texts), SNAPSHOT_TEXTS);

    out->texts = array;
    if (err)
        return err;
    out->texts[out->text_count++] = 0;
    if (number >= loader->wanted_count || !loader->wanted[number] ||
        size > SNAPSHOT_BYTES - out->byte_count)
        return 0;
    if (size > loader->byte_room - out->byte_count) {
        const size_t wanted = loader->byte_room + loader->byte_room / 2 + 65536;
        char *grown = mem_resize(out->bytes, wanted, 1);

        if (!grown)
            return fail(loader->why, ERR_NOMEM, "no room for the names of a heap snapshot");
        out->bytes = grown;
        loader->byte_room = wanted;
    }
    if (out->byte_count == 0)
        out->bytes[out->byte_count++] = 0; /* a text never begins at 0 */
    memcpy(out->bytes + out->byte_count, loader->json.text, size);
    out->texts[number] = (uint32_t)out->byte_count;
    out->byte_count += size;
    return 0;
}

/* No name refers to a string beyond the highest number in use: the rest is skipped. */
static int read_strings(struct loader *loader)
{
    size_t room = 0;
    enum json_token token;
    int err = 0;

    loader->wanted_count = SNAPSHOT_TEXTS;
    loader->wanted = mem_zalloc(loader->wanted_count);
    if (!loader->wanted)
        return fail(loader->why, ERR_NOMEM, "no room for the names of a heap snapshot");
    want_names(loader);
    if (json_next(&loader->json) != JSON_LIST)
        return bad(loader, "its strings are not a list");
    while (!err && (token = json_next(&loader->json)) == JSON_STRING)
        err = keep_text(loader, &room);
    if (!err && token != JSON_UNLIST)
        err = bad(loader, "strings that do not end");
    return err;
}

/* ---- the whole ---- */

/* Counts of edges become the number of each node's first. */
static int number_edges(struct loader *loader)
{
    struct snapshot *out = loader->out;
    uint64_t first = 0;

    for (size_t i = 0; i < out->node_count; i++) {
        const uint32_t count = out->nodes[i].first;

        out->nodes[i].first = (uint32_t)first;
        first += count;
        if (first > out->edge_count)
            return bad(loader, "fewer edges than its nodes have");
    }
    if (out->node_count == 0)
        return bad(loader, "it has no node");
    out->nodes[out->node_count] = (struct heap_node){.first = (uint32_t)first};
    return first == out->edge_count ? 0 : bad(loader, "more edges than its nodes have");
}

static int read_part(struct loader *loader)
{
    const char *key = loader->json.text;
    const struct snapshot *out = loader->out;
    int err;

    if (strcmp(key, "snapshot") == 0)
        return read_head(loader);
    if (strcmp(key, "nodes") == 0)
        return out->node_count ? bad(loader, "nodes twice")
                               : read_rows(loader, &loader->nodes, add_node);
    if (strcmp(key, "edges") == 0) {
        if (out->edge_count)
            return bad(loader, "edges twice");
        err = read_rows(loader, &loader->edges, add_edge);
        return err ? err : number_edges(loader);
    }
    if (strcmp(key, "locations") == 0 && loader->places.fields)
        return read_rows(loader, &loader->places, add_place);
    if (strcmp(key, "strings") == 0)
        return !out->edge_count || loader->wanted ? bad(loader, "strings before what they name")
                                                   : read_strings(loader);
    return pass(loader);
}

static int by_node(const void *left, const void *right)
{
    const struct heap_place *a = left, *b = right;

    return (a->node > b->node) - (a->node < b->node);
}

static int read_document(struct loader *loader)
{
    enum json_token token;
    int err = json_next(&loader->json) == JSON_OPEN ? 0 : bad(loader, "it is not a JSON object");

    while (!err && (token = json_next(&loader->json)) != JSON_CLOSE)
        err = token == JSON_STRING ? read_part(loader) : bad(loader, "it ends too early");
    if (!err && loader->out->text_count == 0)
        err = bad(loader, "a part is missing");
    if (!err && loader->out->place_count > 1)
        qsort(loader->out->places, loader->out->place_count, sizeof(struct heap_place), by_node);
    return err;
}

int snapshot_load(struct snapshot **out, json_source *source, void *data, struct why *why)
{
    struct loader *loader = mem_zalloc(sizeof(*loader));
    struct snapshot *snapshot = mem_zalloc(sizeof(*snapshot));
    int err = loader && snapshot ? 0 : fail(why, ERR_NOMEM, "no room for the heap snapshot");

    if (!err) {
        loader->out = snapshot;
        loader->why = why;
        json_begin(&loader->json, source, data);
        err = read_document(loader);
    }
    if (loader)
        mem_free(loader->wanted);
    mem_free(loader);
    if (err) {
        snapshot_free(snapshot);
        return err;
    }
    *out = snapshot;
    return 0;
}

static size_t read_some(void *data, char *to, size_t room)
{
    const ssize_t got = read(*(int *)data, to, room);

    return got > 0 ? (size_t)got : 0;
}

/* A file that another user has put into the directory of a run is not part of the run. */
static bool is_of_the_run(int directory, int fd)
{
    struct stat of_directory, of_file;

    return fstat(directory, &of_directory) == 0 && fstat(fd, &of_file) == 0 &&
           S_ISREG(of_file.st_mode) && of_file.st_uid == of_directory.st_uid;
}

int snapshot_load_file(struct snapshot **out, const char *directory, const char *name,
                       struct why *why)
{
    const int within = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = within < 0 ? -1 : openat(within, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int err;

    if (fd < 0)
        err = fail(why, ERR_ABSENT, "%s cannot be opened", name);
    else if (!is_of_the_run(within, fd))
        err = fail(why, ERR_FORMAT, "%s is not a file of the user whose run this is", name);
    else
        err = snapshot_load(out, read_some, &fd, why);
    if (fd >= 0)
        (void)close(fd);
    if (within >= 0)
        (void)close(within);
    return err;
}
