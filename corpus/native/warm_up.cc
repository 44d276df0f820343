// warm_up.cc - optimizer moments and work areas are made lazily during the first steps.
#include <cstdio>
#include <memory>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

struct Parameter {
    std::vector<float> value, first_moment, second_moment;

    Parameter() : value(4000, 0.1f) {}
    void update(float gradient)
    {
        if (first_moment.empty()) {
            first_moment.assign(value.size(), 0.0f);
            second_moment.assign(value.size(), 0.0f);
        }
        for (size_t i = 0; i < value.size(); i++) {
            first_moment[i] = 0.9f * first_moment[i] + 0.1f * gradient;
            second_moment[i] = 0.99f * second_moment[i] + 0.01f * gradient * gradient;
            value[i] -= 0.001f * first_moment[i];
        }
    }
};

}  // namespace

int main()
{
    std::vector<Parameter> parameters(16);

    for (uint64_t step = 0; step < 500; step++) {
        tare_step(step);
        const size_t unfrozen = step / 2 < 16 ? step / 2 + 1 : 16;
        auto activations = std::make_unique<float[]>(6000);
        fill_floats(activations.get(), 6000, step);
        const float gradient = learn(activations.get(), 6000, 5);
        for (size_t i = 0; i < unfrozen; i++)
            parameters[i].update(gradient);
    }
    std::printf("weight %.4f\n", static_cast<double>(parameters[0].value[0]));
    return 0;
}
