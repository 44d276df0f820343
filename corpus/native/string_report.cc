// string_report.cc - a progress text is put together piece by piece in every step.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

std::string describe(uint64_t step, const std::vector<float> &values)
{
    std::ostringstream out;
    std::string tail;

    out << "step " << step << ':';
    for (float value : values) {
        out << ' ' << value;
        tail += std::to_string(value) + ",";
    }
    return out.str() + " | " + tail;
}

}  // namespace

int main()
{
    uint64_t seed = 37;
    size_t letters = 0;
    std::string last;

    for (uint64_t step = 0; step < 500; step++) {
        tare_step(step);
        std::vector<float> values;
        for (size_t i = 0; i < 20 + chance_below(&seed, 60); i++)
            values.push_back(static_cast<float>(chance_below(&seed, 1000)) * 0.001f);
        last = describe(step, values);
        letters += last.size();
        learn(values.data(), values.size(), 5);
    }
    std::printf("%zu letters, the last text has %zu\n", letters, last.size());
    return 0;
}
