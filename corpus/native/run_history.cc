// run_history.cc - keeps the activations of every step in a vector of main; tidies up at the end.
#include <cstdio>
#include <memory>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

struct Activations {
    std::vector<float> hidden;
    float loss = 0;
};

std::unique_ptr<Activations> forward(uint64_t step)
{
    auto out = std::make_unique<Activations>();
    out->hidden.assign(1200, static_cast<float>(step));
    out->loss = learn(out->hidden.data(), out->hidden.size(), 6);
    return out;
}

}  // namespace

int main()
{
    std::vector<std::unique_ptr<Activations>> history;
    double total = 0;

    for (uint64_t step = 0; step < 400; step++) {
        tare_step(step);
        history.push_back(forward(step));
        total += history.back()->loss;
    }
    std::printf("mean loss %.3f over %zu steps\n", total / 400, history.size());
    history.clear();
    return 0;
}
