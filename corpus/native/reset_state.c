/* reset_state.c - a tokenizer whose scratch grows by realloc and whose state is reset per text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

struct tokenizer {
    uint32_t *ids;
    size_t used, room;
    uint32_t last;
};

static void tokenizer_reset(struct tokenizer *t)
{
    memset(t, 0, sizeof(*t));
}

static void tokenizer_push(struct tokenizer *t, uint32_t id)
{
    if (t->used == t->room) {
        const size_t room = t->room ? t->room * 2 : 64;
        uint32_t *ids = realloc(t->ids, room * sizeof(*ids));
        if (!ids)
            abort();
        t->ids = ids;
        t->room = room;
    }
    t->ids[t->used++] = id;
    t->last = id;
}

static void tokenize(struct tokenizer *t, const char *text)
{
    uint32_t hash = 5381;

    for (; *text; text++) {
        if (*text == ' ') {
            tokenizer_push(t, hash % 50000);
            hash = 5381;
        } else {
            hash = hash * 33 + (unsigned char)*text;
        }
    }
}

int main(void)
{
    struct tokenizer tokenizer = {0};
    uint64_t seed = 3, total = 0;
    char text[8192];

    for (uint64_t step = 0; step < 400; step++) {
        tare_step(step);
        for (size_t i = 0; i + 1 < sizeof(text); i++)
            text[i] = i % 6 == 5 ? ' ' : (char)('a' + chance_below(&seed, 26));
        text[sizeof(text) - 1] = 0;
        tokenizer_reset(&tokenizer);
        tokenize(&tokenizer, text);
        total += tokenizer.used;
        learn(NULL, 0, 6);
    }
    free(tokenizer.ids);
    printf("%llu tokens\n", (unsigned long long)total);
    return 0;
}
