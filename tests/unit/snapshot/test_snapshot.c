/* Heap snapshots: small ones made by hand, bad ones, and the ways to what they hold. */
#include <stdlib.h>

#include "base/mem.h"
#include "snapshot/way.h"
#include "test.h"

/* ---- documents ---- */

struct bytes {
    const char *at;
    size_t left, most; /* given at once */
};

static size_t give(void *data, char *to, size_t room)
{
    struct bytes *bytes = data;
    size_t count = bytes->left < room ? bytes->left : room;

    count = bytes->most && count > bytes->most ? bytes->most : count;
    memcpy(to, bytes->at, count);
    bytes->at += count;
    bytes->left -= count;
    return count;
}

static int load_part(struct snapshot **out, const char *text, size_t length, size_t most)
{
    struct bytes bytes = {text, length, most};
    struct why why = {""};
    const int err = snapshot_load(out, give, &bytes, &why);

    CHECK(err == 0 || why.text[0]);
    return err;
}

static int load(struct snapshot **out, const char *text)
{
    *out = NULL;
    return load_part(out, text, strlen(text), 0);
}

#define HEAD                                                                                      \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","           \
    "\"edge_count\",\"trace_node_id\",\"detachedness\"],"                                         \
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\","           \
    "\"regexp\",\"number\",\"native\",\"synthetic\"],\"string\",\"number\"],"                     \
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"                                   \
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\","              \
    "\"shortcut\",\"weak\"],\"string_or_number\",\"node\"],"                                      \
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},"                  \
    "\"node_count\":9,\"edge_count\":9},\n"

/* root -> context -(cache)-> Map -(table)-> array -> three objects, two of them young. The table has 8
 * buckets: entries begin at 11, so that 12 is a value. */
static const char map_of_three[] = HEAD
    "\"nodes\":[9,0,1,0,1,0,0,\n"  /* 0: the root */
    "3,1,3,40,2,0,0,\n"            /* 1: a context */
    "3,2,5,32,1,0,0,\n"            /* 2: Map */
    "1,0,7,488,3,0,0,\n"           /* 3: its table */
    "3,3,9,100,1,0,0,\n"           /* 4: old */
    "3,3,101,100,1,0,0,\n"         /* 5: young */
    "3,3,103,100,1,0,0,\n"         /* 6: young */
    "2,9,105,24,0,0,0,\n"          /* 7: a string */
    "3,10,107,24,0,0,0],\n"        /* 8: the native context */
    "\"edges\":[1,1,7,\n"          /* root -> context */
    "0,4,14,\n3,11,56,\n"          /* context -> Map; previous -> native */
    "3,5,21,\n"                    /* Map -> table */
    "3,6,28,\n3,7,35,\n3,8,42,\n"  /* table -> entries */
    "2,12,49,\n2,12,49,\n2,12,49],\n"
    "\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],\n"
    "\"strings\":[\"\",\"system / Context\",\"Map\",\"Object\",\"cache\",\"table\",\"12\",\"15\","
    "\"18\",\"secret\",\"system / NativeContext\",\"previous\",\"rows\"]}\n";

/* ---- reading ---- */

TEST(snapshot_reads_a_small_heap)
{
    struct snapshot *s;

    CHECK_EQ(load(&s, map_of_three), 0);
    CHECK_EQ(s->node_count, 9);
    CHECK_EQ(s->edge_count, 10);
    CHECK_EQ(s->nodes[5].size, 100);
    CHECK_EQ(s->nodes[5].id, 101);
    CHECK_EQ(s->nodes[2].type, NODE_OBJECT);
    CHECK_TEXT(snapshot_node_name(s, 2), "Map");
    CHECK_TEXT(snapshot_node_name(s, 7), ""); /* what a string holds is not kept */
    CHECK_EQ(snapshot_follow(s, 1, EDGE_CONTEXT, "cache"), 2);
    CHECK_EQ(snapshot_follow(s, 1, EDGE_CONTEXT, "other"), SNAPSHOT_NONE);
    snapshot_free(s);
}

TEST(snapshot_is_the_same_byte_by_byte)
{
    struct snapshot *s;

    CHECK_EQ(load_part(&s, map_of_three, strlen(map_of_three), 1), 0);
    CHECK_EQ(s->edge_count, 10);
    CHECK_TEXT(snapshot_edge_name(s, 1), "cache");
    snapshot_free(s);
}

TEST(snapshot_refuses_every_beginning_of_itself)
{
    struct snapshot *s = NULL;
    const size_t end = strlen(map_of_three) - 2; /* the last brace */

    for (size_t length = 0; length < end; length++)
        CHECK(load_part(&s, map_of_three, length, 0) != 0);
}

static char *changed(const char *from, const char *to)
{
    static char text[sizeof(map_of_three) + 4096];
    const char *at = strstr(map_of_three, from);

    CHECK(at != NULL);
    (void)snprintf(text, sizeof(text), "%.*s%s%s", at ? (int)(at - map_of_three) : 0, map_of_three, to,
                   at ? at + strlen(from) : "");
    return text;
}

TEST(snapshot_refuses_what_does_not_fit_together)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"3,1,3,40,2,", "3,1,3,40,3,"},                     /* more edges than there are */
        {"3,1,3,40,2,", "3,1,3,40,1,"},                     /* fewer */
        {"3,1,3,40,2,", "3,1,3,40,18446744073709551615,"},  /* very many */
        {"3,1,3,40,2,", "3,1,3,40,99999999999999999999999,"},
        {"\"edges\":[1,1,7,", "\"edges\":[1,1,63,"},        /* to a node behind the last */
        {"\"edges\":[1,1,7,", "\"edges\":[1,1,99999999999999,"},
        {"\"edges\":[1,1,7,", "\"edges\":[1,1,"},           /* a row that is cut */
        {"\"edges\":[1,1,7,", "\"edges\":[1,[1],7,"},
        {"\"nodes\":[9,", "\"nodes\":[\"9\","},
        {"\"nodes\":[9,", "\"nodes\":{\"a\":9,"},
        {"\"node_fields\":[\"type\",", "\"node_fields\":["}, /* no type */
        {"\"edge_types\":[[", "\"edge_types\":["},
        {"\"strings\":[", "\"strings\":["  "1,"},
        {"\"strings\"", "\"texts\""},                       /* none at all */
        {"\"edges\"", "\"nodes\":[],\"nodes\""},
        {"{\"snapshot\"", "[\"snapshot\""},
        {"\"samples\":[]", "\"strings\":[],\"samples\":[]"}, /* strings twice */
        {"\"samples\":[]", "\"samples\":\"\\u12\""},
        {"\"samples\":[]", "\"samples\":-"},
        {"\"samples\":[]", "\"samples\":nul"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct snapshot *s = NULL;

        if (load(&s, changed(cases[i].from, cases[i].to)) == 0)
            test_fail(__FILE__, __LINE__, "case %zu was accepted", i);
    }
}

TEST(snapshot_accepts_what_does_no_harm)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"\"node_count\":9", "\"node_count\":999999999999"}, /* counts are not believed */
        {"\"samples\":[]", "\"samples\":{\"a\":[1,-2.5e9,true,null,\"\\ud83d\\ude00\\u0000\"]}"},
        {"9,0,1,0,1,", "77,0,1,0,1,"},         /* a type that is not in the list */
        {"2,9,105,24,", "2,4294967295,105,99999999999,"}, /* a name that is not there, a great size */
        {"\"locations\":[]", "\"locations\":[99999,1,2,3]"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct snapshot *s = NULL;

        if (load(&s, changed(cases[i].from, cases[i].to)) != 0)
            test_fail(__FILE__, __LINE__, "case %zu was refused", i);
        snapshot_free(s);
    }
}

TEST(snapshot_survives_deep_nesting)
{
    const size_t depth = 200000;
    char *text = mem_zalloc(2 * depth + 100);
    struct snapshot *s = NULL;
    size_t length = (size_t)sprintf(text, "{\"other\":");

    memset(text + length, '[', depth);
    CHECK(load(&s, text) != 0);
    memset(text + length + depth, ']', depth);
    strcpy(text + length + 2 * depth, "}");
    CHECK(load(&s, text) != 0); /* well formed, and no snapshot */
    mem_free(text);
}

static bool accept_all(const struct retain_way *way, void *data)
{
    ++*(int *)data;
    return way->count > 0;
}

static int find_many(struct retain_way *way, const struct retain *retain, uint64_t fewest, int *asked)
{
    const struct retain_many question = {
        .since = 50, .fewest = fewest, .most = 2, .accept = accept_all, .data = asked};
    struct why why;

    return retain_find_many(way, retain, &question, &why);
}

TEST(snapshot_survives_every_refused_request_for_memory)
{
    for (unsigned long n = 1; n < 40; n++) {
        struct snapshot *s = NULL;
        struct retain *retain = NULL;
        struct retain_way way = {.count = 0};
        const struct retain_question question = {.since = 50, .least = 1, .most = 1000};
        struct why why;

        mem_fail_at(n);
        if (load(&s, map_of_three) == 0 && retain_new(&retain, s, &why) == 0)
            (void)retain_find(&way, retain, &question, &why);
        if (retain) {
            int asked = 0;

            retain_way_free(&way);
            (void)find_many(&way, retain, 2, &asked);
        }
        mem_fail_at(0);
        retain_way_free(&way);
        retain_free(retain);
        snapshot_free(s);
    }
}

/* ---- strings ---- */

TEST(json_keeps_the_beginning_of_a_long_string)
{
    struct json *json = mem_zalloc(sizeof(*json));
    char text[1000] = "\"";
    struct bytes bytes = {text, 0, 0};

    for (size_t i = 0; i < 200; i++)
        strcat(text, "\xc3\xa4");
    strcat(text, "\" 7");
    bytes.left = strlen(text);
    json_begin(json, give, &bytes);
    CHECK_EQ(json_next(json), JSON_STRING);
    CHECK(json->length <= JSON_TEXT && json->length >= JSON_TEXT - 4 && json->length % 2 == 0);
    CHECK_EQ(strlen(json->text), json->length);
    CHECK_EQ(json_next(json), JSON_NUMBER);
    CHECK_EQ(json->number, 7);
    CHECK_EQ(json_next(json), JSON_END);
    mem_free(json);
}

/* ---- ways ---- */

static int find(struct retain_way *way, struct retain **retain, const struct snapshot *s,
                uint32_t since, uint32_t least)
{
    const struct retain_question question = {.since = since, .least = least, .most = 1000};
    struct why why;

    CHECK_EQ(retain_new(retain, s, &why), 0);
    return retain_find(way, *retain, &question, &why);
}

TEST(retain_names_the_map_that_holds_the_young)
{
    struct snapshot *s;
    struct retain *retain;
    struct retain_way found;
    static struct way way;
    struct text words = {0};

    CHECK_EQ(load(&s, map_of_three), 0);
    CHECK_EQ(find(&found, &retain, s, 50, 100), 1);
    CHECK_EQ(found.objects, 2);
    CHECK_EQ(found.bytes, 200);
    CHECK_EQ(found.shared, 4);
    way_tell(&way, s, &found);
    way_text(&words, &way);
    CHECK_TEXT(text_string(&words), "cache (Map) → value {rows}");
    CHECK_EQ(way.growing, 0);
    CHECK_EQ(way.steps[0].kind, WAY_VARIABLE);
    text_free(&words);
    retain_way_free(&found);
    retain_free(retain);
    snapshot_free(s);
}

/* root -> context -(window)-> the newest three of five objects; -(app)-> .books -> .entries -> all five. */
static const char window_and_list[] = HEAD
    "\"nodes\":[9,0,1,0,1,0,0,\n"
    "3,1,3,40,2,0,0,\n"                                    /* 1: a context */
    "3,2,5,32,3,0,0,\n"                                    /* 2: the window */
    "3,3,7,32,1,0,0,\n3,3,9,32,1,0,0,\n3,2,11,32,5,0,0,\n" /* 3 to 5: app, books, entries */
    "3,3,101,100,0,0,0,\n3,3,103,100,0,0,0,\n3,3,105,100,0,0,0,\n3,3,107,100,0,0,0,\n"
    "3,3,109,100,0,0,0],\n"
    "\"edges\":[1,1,7,\n0,4,14,\n0,5,21,\n"
    "1,0,56,\n1,1,63,\n1,2,70,\n"
    "2,6,28,\n2,7,35,\n"
    "1,0,42,\n1,1,49,\n1,2,56,\n1,3,63,\n1,4,70],\n"
    "\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],\n"
    "\"strings\":[\"\",\"system / Context\",\"Array\",\"Object\",\"window\",\"app\",\"books\","
    "\"entries\"]}\n";

/* The window is nearer, and leads to most of them first; the list holds all. */
TEST(retain_names_what_holds_most_not_what_is_nearest)
{
    struct snapshot *s;
    struct retain *retain;
    struct retain_way found;
    static struct way way;
    struct text words = {0};

    CHECK_EQ(load(&s, window_and_list), 0);
    CHECK_EQ(find(&found, &retain, s, 50, 100), 1);
    CHECK_EQ(found.objects, 5);
    CHECK_EQ(found.bytes, 500);
    CHECK_EQ(found.asked_bytes, 500);
    way_tell(&way, s, &found);
    way_text(&words, &way);
    CHECK_CONTAINS(text_string(&words), "app.books.entries");
    text_free(&words);
    retain_way_free(&found);
    retain_free(retain);
    snapshot_free(s);
}

TEST(retain_survives_every_refused_request_for_memory)
{
    const struct retain_question question = {.since = 50, .least = 100, .most = 1000};
    struct snapshot *s;
    unsigned refused = 0;

    CHECK_EQ(load(&s, window_and_list), 0);
    for (unsigned long n = 1; n < 30; n++) {
        struct retain *retain = NULL;
        struct retain_way found = {.count = 0};
        struct why why;

        mem_fail_at(n);
        if (retain_new(&retain, s, &why) != 0 || retain_find(&found, retain, &question, &why) < 0)
            refused++;
        mem_fail_at(0);
        retain_way_free(&found);
        retain_free(retain);
    }
    CHECK(refused > 5);
    snapshot_free(s);
}

/* root -> context -(token)-> Promise -> three reactions in a chain; each has a closure, whose context holds
 * an object. The chain has no names: hidden references, 0 to the next and 2 to the closure. */
static const char chain_of_reactions[] = HEAD
    "\"nodes\":[9,0,1,0,1,0,0,\n"
    "3,1,3,40,1,0,0,\n3,2,5,48,1,0,0,\n"                     /* 1: a context, 2: Promise */
    "0,3,101,48,2,0,0,\n0,3,103,48,2,0,0,\n0,3,105,48,1,0,0,\n" /* 3 to 5: reactions */
    "5,0,107,56,1,0,0,\n5,0,109,56,1,0,0,\n5,0,111,56,1,0,0,\n" /* 6 to 8: closures */
    "3,1,113,40,1,0,0,\n3,1,115,40,1,0,0,\n3,1,117,40,1,0,0,\n" /* 9 to 11: contexts */
    "3,4,119,100,0,0,0,\n3,4,121,100,0,0,0,\n3,4,123,100,0,0,0],\n"
    "\"edges\":[1,1,7,\n0,5,14,\n3,6,21,\n"
    "4,0,28,\n4,2,42,\n4,0,35,\n4,2,49,\n4,2,56,\n"
    "3,7,63,\n3,7,70,\n3,7,77,\n0,8,84,\n0,8,91,\n0,8,98],\n"
    "\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],\n"
    "\"strings\":[\"\",\"system / Context\",\"Promise\",\"system / PromiseReaction\",\"Object\",\"token\","
    "\"reactions_or_result\",\"context\",\"rows\"]}\n";

/* What waits for one promise is as deep in it as it is old. */
TEST(retain_names_the_promise_that_many_wait_for)
{
    struct snapshot *s;
    struct retain *retain;
    struct retain_way found;
    static struct way way;
    struct text words = {0};

    CHECK_EQ(load(&s, chain_of_reactions), 0);
    CHECK_EQ(find(&found, &retain, s, 50, 100), 1);
    CHECK_EQ(found.objects, 3);
    way_tell(&way, s, &found);
    way_text(&words, &way);
    CHECK_TEXT(text_string(&words), "token (Promise) callbacks → closure → rows");
    CHECK_EQ(way.growing, 0);
    text_free(&words);
    retain_way_free(&found);
    retain_free(retain);
    snapshot_free(s);
}

TEST(retain_finds_as_many_objects_as_were_asked_for)
{
    struct snapshot *s;
    struct retain *retain;
    struct retain_way found;
    struct why why;
    static struct way way;
    int asked = 0;

    CHECK_EQ(load(&s, map_of_three), 0);
    CHECK_EQ(retain_new(&retain, s, &why), 0);
    CHECK_EQ(find_many(&found, retain, 2, &asked), 1);
    CHECK_EQ(found.objects, 2);
    CHECK_EQ(found.shared, 4);
    way_tell(&way, s, &found);
    CHECK_EQ(way.steps[0].kind, WAY_VARIABLE);
    CHECK_TEXT(way.steps[0].name, "cache");
    retain_way_free(&found);
    asked = 0;
    CHECK_EQ(find_many(&found, retain, 3, &asked), 0);
    CHECK_EQ(asked, 0);
    retain_free(retain);
    snapshot_free(s);
}

TEST(retain_finds_nothing_where_nothing_is_young)
{
    struct snapshot *s;
    struct retain *retain;
    struct retain_way found;

    CHECK_EQ(load(&s, map_of_three), 0);
    CHECK_EQ(find(&found, &retain, s, 1000, 1), 0);
    CHECK_EQ(found.count, 0);
    retain_free(retain);
    snapshot_free(s);
}

/* A weak reference holds nothing. */
TEST(retain_does_not_follow_weak_references)
{
    struct snapshot *s;
    struct retain *retain;
    struct retain_way found;

    CHECK_EQ(load(&s, changed("3,5,21,", "6,5,21,")), 0);
    CHECK_EQ(find(&found, &retain, s, 50, 100), 0);
    retain_free(retain);
    snapshot_free(s);
}
