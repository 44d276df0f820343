/* test_exec_env.c - our words leave an environment, and nothing else does. */
#include <stdlib.h>

#include "probe/entry/exec_env_pure.h"
#include "test.h"

#define PROBE  "/opt/tare/libtare-probe.so"
#define PYTHON "/opt/tare/python/inject"
#define NODE   "--require=/opt/tare/node/tare.cjs"

static struct exec_guests guests;

/* What becomes of one variable; "" when it goes. */
static const char *left(const char *entry)
{
    static _Alignas(char *) char room[8192];
    char *environment[] = {(char *)(uintptr_t) "FIRST=1", (char *)(uintptr_t)entry,
                           (char *)(uintptr_t) "LAST=2", NULL};
    char *const *built;

    CHECK(exec_guests_set(&guests, PROBE));
    CHECK(exec_env_size(environment, &guests) <= sizeof(room));
    built = exec_env_build(room, environment, &guests);
    CHECK_TEXT(built[0], "FIRST=1");
    if (built[1] == environment[2]) {
        CHECK(!built[2]);
        return "";
    }
    CHECK(built[2] == environment[2] && !built[3]);
    return built[1];
}

TEST(our_words_leave_their_lists)
{
    CHECK_TEXT(left("LD_PRELOAD=" PROBE), "");
    CHECK_TEXT(left("LD_PRELOAD=" PROBE ":/own.so"), "LD_PRELOAD=/own.so");
    CHECK_TEXT(left("LD_PRELOAD=/own.so:" PROBE), "LD_PRELOAD=/own.so");
    CHECK_TEXT(left("LD_PRELOAD=/own.so " PROBE ":/two.so"), "LD_PRELOAD=/own.so /two.so");
    CHECK_TEXT(left("LD_PRELOAD=" PROBE ":" PROBE), "");
    CHECK_TEXT(left("PYTHONPATH=" PYTHON), "");
    CHECK_TEXT(left("PYTHONPATH=" PYTHON ":/a b::/c"), "PYTHONPATH=/a b::/c");
    CHECK_TEXT(left("NODE_OPTIONS=" NODE " --own"), "NODE_OPTIONS=--own");
}

TEST(other_words_stay)
{
    static const char *const kept[] = {"LD_PRELOAD=/own.so",
                                       "LD_PRELOAD=",
                                       "LD_PRELOAD=" PROBE ".old",
                                       "LD_PRELOAD=/x" PROBE,
                                       "PYTHONPATH=" PYTHON "/more",
                                       "PATH=" PROBE,
                                       "NODE_OPTIONS=" PROBE,
                                       "MY_LD_PRELOAD=" PROBE,
                                       "LD_PRELOAD",
                                       "",
                                       "TARE_DIR=/run"};

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        CHECK(left(kept[i]) == kept[i]);
}

TEST(environment_is_asked_for_the_probe)
{
    char *with[] = {(char *)(uintptr_t) "A=1", (char *)(uintptr_t) "LD_PRELOAD=/own.so:" PROBE,
                    NULL};
    char *without[] = {(char *)(uintptr_t) "A=1", (char *)(uintptr_t) "LD_PRELOAD=/own.so",
                       (char *)(uintptr_t) "PYTHONPATH=" PYTHON, NULL};
    char *none[] = {NULL};

    CHECK(exec_guests_set(&guests, PROBE));
    CHECK(exec_env_has_probe(with, &guests));
    CHECK(!exec_env_has_probe(without, &guests));
    CHECK(!exec_env_has_probe(none, &guests) && !exec_env_has_probe(NULL, &guests));
    CHECK_EQ(exec_env_size(NULL, &guests), sizeof(char *));
}

TEST(environment_is_asked_for_a_sanitizer)
{
    char *with[] = {(char *)(uintptr_t) "LD_PRELOAD=" PROBE ":/usr/lib/libasan.so.8", NULL};
    char *without[] = {(char *)(uintptr_t) "LD_PRELOAD=/libasan.so/own.so",
                       (char *)(uintptr_t) "X=libasan.so", NULL};

    CHECK(exec_env_has_sanitizer(with));
    CHECK(!exec_env_has_sanitizer(without));
}

/* The room that was asked for is enough, whatever the order and however many. */
TEST(room_is_enough)
{
    char *environment[400];
    char *room;
    size_t size;

    CHECK(exec_guests_set(&guests, PROBE));
    for (size_t i = 0; i < 399; i++)
        environment[i] = (char *)(uintptr_t)(i % 3 == 0   ? "LD_PRELOAD=" PROBE ":/a"
                                             : i % 3 == 1 ? "PYTHONPATH=/b:" PYTHON
                                                          : "C=3");
    environment[399] = NULL;
    size = exec_env_size(environment, &guests);
    room = malloc(size); /* the sanitized build sees a byte too much */
    CHECK(room);
    CHECK_TEXT(exec_env_build(room, environment, &guests)[398], "C=3");
    free(room);
}

TEST(a_probe_without_a_folder_is_not_ours)
{
    CHECK(!exec_guests_set(&guests, "libtare-probe.so"));
}
