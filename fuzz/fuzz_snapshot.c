/* fuzz_snapshot.c - whatever the bytes, a heap snapshot is refused or can be searched to the end. */
#include "promise.h"

#include <string.h>

#include "snapshot/way.h"

struct input {
    const uint8_t *bytes;
    size_t left;
};

static size_t give(void *data, char *to, size_t room)
{
    struct input *input = data;
    const size_t count = input->left < room ? input->left : room;

    memcpy(to, input->bytes, count);
    input->bytes += count;
    input->left -= count;
    return count;
}

static void ask(const struct snapshot *snapshot, const struct retain *retain, bool buffers)
{
    const struct retain_question question = {.most = NODE_SIZE_MOST, .buffers = buffers};
    struct retain_way found;
    struct text words = {0};
    struct why why = {""};
    static struct way way;
    const int result = retain_find(&found, retain, &question, &why);

    PROMISE(result >= 0 && (result == 1) == (found.count > 0));
    if (result == 1) {
        PROMISE(found.shared >= 1 && found.shared <= found.count && found.nodes[0] == 0);
        way_tell(&way, snapshot, &found);
        PROMISE(way.count > 0 && way.count <= WAY_STEPS);
        way_text(&words, &way);
        PROMISE(!words.failed);
    }
    text_free(&words);
    retain_way_free(&found);
}

static bool accept(const struct retain_way *found, void *data)
{
    static struct way way;

    way_tell(&way, data, found);
    return way.count > 0 && way.steps[0].kind != WAY_ROOT;
}

static void ask_many(struct snapshot *snapshot, const struct retain *retain)
{
    const struct retain_many question = {.fewest = 1, .most = 100, .accept = accept, .data = snapshot};
    struct retain_way found;
    struct why why = {""};
    const int result = retain_find_many(&found, retain, &question, &why);

    PROMISE(result >= 0 && (result == 1) == (found.count > 0));
    PROMISE(result == 0 || (found.shared >= 1 && found.shared <= found.count));
    retain_way_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size};
    struct snapshot *snapshot = NULL;
    struct retain *retain = NULL;
    struct why why = {""};
    const int err = snapshot_load(&snapshot, give, &input, &why);

    PROMISE(err <= 0 && (err == 0) == (snapshot != NULL) && (err == 0 || why.text[0] != 0));
    if (err)
        return 0;
    PROMISE(snapshot->node_count > 0 &&
            snapshot->nodes[snapshot->node_count].first == snapshot->edge_count);
    PROMISE(retain_new(&retain, snapshot, &why) == 0);
    ask(snapshot, retain, false);
    ask(snapshot, retain, true);
    ask_many(snapshot, retain);
    retain_free(retain);
    snapshot_free(snapshot);
    return 0;
}
