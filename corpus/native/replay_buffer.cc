// replay_buffer.cc - reinforcement learning: transitions fill a buffer, then replace at random.
#include <cstdio>
#include <memory>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

struct Transition {
    float state[200], next_state[200];
    float reward;
};

class ReplayBuffer {
public:
    explicit ReplayBuffer(size_t capacity) : capacity_(capacity) { items_.reserve(capacity); }
    void add(std::unique_ptr<Transition> item, uint64_t *seed)
    {
        if (items_.size() < capacity_)
            items_.push_back(std::move(item));
        else
            items_[chance_below(seed, capacity_)] = std::move(item);
    }
    const Transition &sample(uint64_t *seed) const
    {
        return *items_[chance_below(seed, items_.size())];
    }

private:
    size_t capacity_;
    std::vector<std::unique_ptr<Transition>> items_;
};

}  // namespace

int main()
{
    ReplayBuffer buffer(800);
    uint64_t seed = 31;
    double reward = 0;

    for (uint64_t step = 0; step < 700; step++) {
        tare_step(step);
        for (int i = 0; i < 4; i++) {
            auto transition = std::make_unique<Transition>();
            fill_floats(transition->state, 200, step);
            transition->reward = static_cast<float>(i);
            buffer.add(std::move(transition), &seed);
        }
        const Transition &drawn = buffer.sample(&seed);
        reward += drawn.reward;
        learn(drawn.state, 200, 5);
    }
    std::printf("reward %.1f\n", reward);
    return 0;
}
