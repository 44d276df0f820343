// index_prune.cc - builds a large index of small nodes in the first epoch, keeps one node in forty.
#include <cstdio>
#include <memory>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

struct Entry {
    float key[28];
    uint64_t id;
};

std::vector<std::unique_ptr<Entry>> entries;

void grow(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        entries.push_back(std::make_unique<Entry>());
        fill_floats(entries.back()->key, 28, i);
    }
}

void prune()
{
    for (size_t i = 0; i < entries.size(); i++)
        if (i % 40 != 0)
            entries[i].reset();
}

}  // namespace

int main()
{
    entries.reserve(1200000);
    for (uint64_t step = 0; step < 300; step++) {
        tare_step(step);
        if (step < 30)
            grow(40000);
        if (step == 30)
            prune();
        std::vector<float> batch(20000, 0.25f);
        learn(batch.data(), batch.size(), 6);
    }
    std::printf("%zu slots\n", entries.size());
    std::fflush(stdout);
    return 0;
}
