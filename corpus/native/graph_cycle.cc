// graph_cycle.cc - an expression graph per step; nodes know their inputs and their users.
#include <cstdio>
#include <memory>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

struct Node {
    float value[256];
    std::vector<std::shared_ptr<Node>> inputs;
    std::shared_ptr<Node> user;
};

std::shared_ptr<Node> constant(float value)
{
    auto node = std::make_shared<Node>();
    for (float &v : node->value)
        v = value;
    return node;
}

std::shared_ptr<Node> add(const std::shared_ptr<Node> &a, const std::shared_ptr<Node> &b)
{
    auto sum = std::make_shared<Node>();
    for (int i = 0; i < 256; i++)
        sum->value[i] = a->value[i] + b->value[i];
    sum->inputs = {a, b};
    a->user = sum;
    b->user = sum;
    return sum;
}

}  // namespace

int main()
{
    double total = 0;

    for (uint64_t step = 0; step < 300; step++) {
        tare_step(step);
        auto loss = add(constant(static_cast<float>(step)), constant(1.0f));
        total += loss->value[3];
        learn(loss->value, 256, 8);
    }
    std::printf("total %.1f\n", total);
    return 0;
}
