/* The path of who holds: its words, the container that grows, and what it says of the kind. */
#include "base/arena.h"
#include "doctor/held/owners.h"
#include "test.h"

#define COUNT(path) (sizeof(path) / sizeof((path)[0]))

static struct holder_step step(uint32_t kind, const char *name, const char *type, uint64_t length)
{
    return (struct holder_step){
        .kind = kind, .name = name, .type = type, .file = "", .length = length};
}

static struct holder_step element(uint64_t number, const char *type)
{
    return (struct holder_step){
        .kind = OWNER_INDEX, .name = "", .type = type, .file = "", .number = number};
}

/* The words of a path of which `events` things were stored. */
static const char *words(const struct holder_step *path, size_t count, uint64_t events)
{
    static struct arena *arena; /* lives as long as the test */

    if (!arena)
        arena = arena_new();
    return owners_text(path, count, owners_growing(path, count, events), arena);
}

TEST(a_loss_in_a_list_is_told_with_its_graph)
{
    const struct holder_step path[] = {
        step(OWNER_MODULE, "__main__", "module", 0),
        step(OWNER_ATTRIBUTE, "history", "list", 52),
        element(51, "torch.Tensor"),
        step(OWNER_ATTRIBUTE, "grad_fn", "MeanBackward0", 0),
        step(OWNER_NATIVE, "ReluBackward0", "", 0),
        step(OWNER_NATIVE, "AddmmBackward0", "", 0),
        step(OWNER_NATIVE, "ReluBackward0", "", 0),
        step(OWNER_NATIVE, "MulBackward0", "", 0),
        step(OWNER_NATIVE, "AddmmBackward0", "", 0),
    };

    CHECK_TEXT(words(path, COUNT(path), 50),
               "__main__.history[…].grad_fn → MeanBackward0 → ReluBackward0 → … → AddmmBackward0");
    CHECK_TEXT(words(path, 3, 50), "__main__.history[…]");
}

TEST(locals_defaults_and_closures_are_told_by_their_function)
{
    struct holder_step frame = step(OWNER_FRAME, "main", "", 0);
    const struct holder_step defaults[] = {
        step(OWNER_MODULE, "__main__", "", 0), step(OWNER_ATTRIBUTE, "collect", "function", 0),
        step(OWNER_DEFAULT, "seen", "list", 90), element(3, "bytes")};
    const struct holder_step closure[] = {
        step(OWNER_MODULE, "__main__", "", 0),
        step(OWNER_ATTRIBUTE, "make.<locals>.inner", "function", 0),
        step(OWNER_CLOSURE, "buf", "list", 90)};
    struct holder_step local[3];

    frame.file = "/src/train.py";
    frame.line = 40;
    local[0] = frame;
    local[1] = step(OWNER_LOCAL, "cache", "dict", 1);
    local[2] = step(OWNER_KEY, "'x'", "bytes", 0);
    CHECK_TEXT(words(local, 3, 1), "local 'cache' of main() (train.py:40)['x']");
    CHECK_TEXT(words(defaults, COUNT(defaults), 90), "default argument 'seen' of collect()[…]");
    CHECK_TEXT(words(closure, COUNT(closure), 90), "closure variable 'buf' of make.<locals>.inner");
}

TEST(a_decorators_cache_is_told_by_its_function)
{
    struct holder_step path[] = {
        step(OWNER_MODULE, "__main__", "", 0),
        step(OWNER_ATTRIBUTE, "f", "functools._lru_cache_wrapper", 300),
        step(OWNER_PART, "cache", "dict", 300),
        step(OWNER_KEY, "3", "numpy.ndarray", 0),
    };

    CHECK_TEXT(words(path, COUNT(path), 300),
               "the cache of functools.lru_cache on f (maxsize=None)");
    CHECK(owners_unbounded_cache(path, COUNT(path), 1));
    path[1].bound = 128;
    CHECK_TEXT(words(path, COUNT(path), 300), "the cache of functools.lru_cache on f (maxsize=128)");
    CHECK(!owners_unbounded_cache(path, COUNT(path), 1));
}

TEST(the_outermost_container_that_is_long_enough_grows)
{
    const struct holder_step path[] = {
        step(OWNER_MODULE, "__main__", "", 0), step(OWNER_ATTRIBUTE, "models", "list", 60),
        element(59, "Model"),                  step(OWNER_ATTRIBUTE, "layers", "list", 300),
        element(7, "Layer"),
    };
    const struct holder_step fixed[] = {
        step(OWNER_MODULE, "__main__", "", 0), step(OWNER_ATTRIBUTE, "log", "dict", 2),
        step(OWNER_KEY, "'loss'", "list", 200), element(7, "float")};
    const struct holder_step chain[] = {step(OWNER_FRAME, "main", "", 0),
                                        step(OWNER_LOCAL, "hidden", "torch.Tensor", 0)};

    CHECK_EQ(owners_growing(path, COUNT(path), 60), 1);
    CHECK_EQ(owners_growing(fixed, COUNT(fixed), 200), 2);
    CHECK_EQ(owners_growing(chain, COUNT(chain), 200), OWNERS_NONE);
    CHECK_TEXT(words(fixed, COUNT(fixed), 200), "__main__.log['loss'][…]");
    CHECK_TEXT(words(path, COUNT(path), 60), "__main__.models[…].layers[7]");
}

TEST(bounds_count_until_they_are_reached)
{
    struct holder_step path[] = {step(OWNER_MODULE, "__main__", "", 0),
                                 step(OWNER_ATTRIBUTE, "recent", "collections.deque", 200),
                                 element(7, "bytes")};

    CHECK(!owners_bounded(path, COUNT(path), 1));
    path[1].bound = 1000;
    CHECK(owners_bounded(path, COUNT(path), 1));
    CHECK(!owners_bounded(path, COUNT(path), OWNERS_NONE));
    path[1].length = 1000;
    CHECK(!owners_bounded(path, COUNT(path), 1));
}

TEST(a_librarys_mapping_is_a_cache_and_the_programs_own_is_not)
{
    struct holder_step path[] = {step(OWNER_MODULE, "tensorflow.python.framework.ops", "", 0),
                                 step(OWNER_ATTRIBUTE, "registry", "dict", 200),
                                 step(OWNER_KEY, "'CustomGradient-7'", "dict", 0)};

    path[0].file = "/env/lib/python3.11/site-packages/tensorflow/python/framework/ops.py";
    CHECK(owners_unbounded_cache(path, COUNT(path), 1));
    path[0].file = "/src/train.py";
    CHECK(!owners_unbounded_cache(path, COUNT(path), 1));
    path[0].file = "";
    CHECK(!owners_unbounded_cache(path, COUNT(path), 1));
}

TEST(a_path_of_forged_steps_is_told_somehow)
{
    static struct model_owner owners[OWNERS_STEPS_MAX + 9];
    struct holder_record record = {.state = HOLDER_DONE, .targets = 1, .reached = 1, .site = 1};
    struct model model = {.holders = &record, .holder_count = 1, .owners = owners};
    const struct holder_step *path;
    struct arena *arena = arena_new();
    size_t count;

    for (size_t i = 0; i < COUNT(owners); i++)
        owners[model.owner_count++] = (struct model_owner){.holder = 1,
                                                           .kind = (uint32_t)(i % 30),
                                                           .name = "",
                                                           .type = "\033[2J",
                                                           .file = "",
                                                           .length = UINT64_MAX,
                                                           .index = UINT64_MAX,
                                                           .left_out = UINT64_MAX};
    count = owners_path(&model, &record, arena, &path);
    CHECK(count > 0 && count <= OWNERS_STEPS_MAX);
    for (size_t first = 0; first < count; first++)
        for (size_t last = first + 1; last <= count; last++)
            CHECK(owners_text(path + first, last - first,
                              owners_growing(path + first, last - first, 7), arena) != NULL);
    arena_free(arena);
}

TEST(native_memory_on_the_path_is_no_certain_holder)
{
    const struct holder_step list[] = {step(OWNER_MODULE, "__main__", "module", 0),
                                       step(OWNER_ATTRIBUTE, "kept", "list", 52), element(51, "bytes")};
    const struct holder_step native[] = {step(OWNER_MODULE, "shape_pb2", "module", 0),
                                         step(OWNER_ATTRIBUTE, "DESCRIPTOR", "FileDescriptor", 0),
                                         step(OWNER_NATIVE, "", "", 0), step(OWNER_PART, "", "str", 0)};
    const struct holder_step capsule[] = {step(OWNER_MODULE, "builtins", "module", 0),
                                          step(OWNER_ATTRIBUTE, "__internals__", "PyCapsule", 0)};

    CHECK(owners_certain(list, COUNT(list), SIZE_MAX));
    CHECK(owners_rooted(native, COUNT(native)) && !owners_certain(native, COUNT(native), SIZE_MAX));
    CHECK(owners_rooted(capsule, COUNT(capsule)) && !owners_certain(capsule, COUNT(capsule), SIZE_MAX));
    CHECK(!owners_certain(list, 0, SIZE_MAX));
}

TEST(native_memory_behind_the_container_that_grows_belongs_to_its_elements)
{
    const struct holder_step path[] = {step(OWNER_FRAME, "main", "", 0),
                                       step(OWNER_LOCAL, "metric", "list", 52), element(51, "torch.Tensor"),
                                       step(OWNER_NATIVE, "", "", 0)};

    CHECK(owners_certain(path, COUNT(path), 1));
    CHECK(!owners_certain(path, COUNT(path), SIZE_MAX));
}
