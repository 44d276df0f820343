// thrown.cc - frames while an exception is on its way.
#include <stdexcept>
#include <string>

#include "shapes.h"

namespace {

struct on_the_way {
    visitor *visit;
    int *visits;
    ~on_the_way()
    {
        shape_plain(4, visit);
        ++*visits;
    }
};

__attribute__((noinline)) int inner(visitor *visit, int *visits, const std::string &text)
{
    on_the_way guard{visit, visits};

    if (text.size() > 3)
        throw std::runtime_error(text);
    return static_cast<int>(text.size());
}

__attribute__((noinline)) int middle(visitor *visit, int *visits)
{
    const std::string text = "a text too long to be kept in place";

    return inner(visit, visits, text) + 1;
}

} // namespace

unsigned thrown_outer(visitor *visit, int *visits)
{
    try {
        return static_cast<unsigned>(middle(visit, visits));
    } catch (const std::exception &error) {
        shape_plain(3, visit);
        ++*visits;
    }
    return 0;
}
