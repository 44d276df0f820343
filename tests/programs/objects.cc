/* objects.cc - memory by way of C++: every form of new, containers, exceptions, scopes, marks.
 *
 * Prints the usable bytes and blocks alive between its two marks, then the line of a kept vector.
 */
#include <malloc.h>

#include <cstddef>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <tare/mark.h>
#include <vector>

#include "say.h"

namespace shapes {

template <typename T> struct keeper {
    std::vector<T *> kept;
    int line = 0;

    __attribute__((noinline)) void keep(std::size_t count)
    {
        for (std::size_t i = 0; i < count; i++) {
            line = __LINE__, kept.push_back(new T());
        }
    }
};

struct alignas(128) wide {
    char room[256];
};

struct thrower {
    thrower()
    {
        throw std::runtime_error("as it should");
    }
    char room[1000];
};

} // namespace shapes

static std::size_t bytes, blocks;

static void count(void *block)
{
    bytes += malloc_usable_size(block);
    blocks++;
}

static int throw_many()
{
    int caught = 0;

    for (int i = 0; i < 1000; i++) {
        try {
            delete new shapes::thrower();
        } catch (const std::exception &) {
            caught++;
        }
    }
    return caught;
}

int main()
{
    static shapes::keeper<std::pair<long, double>> pairs;
    static shapes::keeper<shapes::wide> wides;
    char *text;

    pairs.kept.reserve(4000);
    wides.kept.reserve(500);
    throw_many(); /* the first exception may take memory that stays */
    tare_step(0);
    tare_scope_begin("objects");
    pairs.keep(4000);
    wides.keep(500);
    text = new (std::nothrow) char[5000];
    {
        std::map<std::string, std::vector<int>> passing;

        for (int i = 0; i < 500; i++)
            passing[std::string(50, 'a') + std::to_string(i)].resize(static_cast<std::size_t>(i));
    }
    if (throw_many() != 1000)
        return 1;
    tare_scope_end();
    tare_step(1);
    for (auto *one : pairs.kept)
        count(one);
    for (auto *one : wides.kept)
        count(one);
    count(text);
    say("%zu %zu %d\n", bytes, blocks, pairs.line);
    return 0;
}
