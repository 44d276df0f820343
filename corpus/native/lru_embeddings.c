/* lru_embeddings.c - embeddings are computed on demand; the 600 most recently used are kept. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { CAPACITY = 600, WORDS = 20000, WIDTH = 768 };

struct entry {
    struct entry *newer, *older;
    size_t word;
    float vector[WIDTH];
};

static struct entry *by_word[WORDS];
static struct entry ends = {&ends, &ends, 0, {0}};
static size_t held;

static void take_out(struct entry *entry)
{
    entry->newer->older = entry->older;
    entry->older->newer = entry->newer;
}

static void put_first(struct entry *entry)
{
    entry->older = ends.older;
    entry->newer = &ends;
    ends.older->newer = entry;
    ends.older = entry;
}

static const float *embedding(size_t word)
{
    struct entry *entry = by_word[word];

    if (entry) {
        take_out(entry);
    } else {
        entry = malloc(sizeof(*entry));
        entry->word = word;
        fill_floats(entry->vector, WIDTH, word);
        by_word[word] = entry;
        held++;
    }
    put_first(entry);
    if (held > CAPACITY) {
        struct entry *oldest = ends.newer;
        take_out(oldest);
        by_word[oldest->word] = NULL;
        free(oldest);
        held--;
    }
    return entry->vector;
}

int main(void)
{
    uint64_t seed = 4;

    for (uint64_t step = 0; step < 600; step++) {
        tare_step(step);
        for (int i = 0; i < 4; i++)
            learn(embedding(chance_below(&seed, WORDS)), WIDTH, 1);
    }
    printf("%zu embeddings held\n", held);
    return 0;
}
