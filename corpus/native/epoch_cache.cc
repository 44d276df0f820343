// epoch_cache.cc - decoded samples are kept until their epoch ends; twelve epochs of 50 steps.
#include <cstdio>
#include <memory>
#include <vector>

#include <tare/mark.h>

#include "work.h"

int main()
{
    uint64_t step = 0;
    size_t samples = 0;

    for (int epoch = 0; epoch < 12; epoch++) {
        std::vector<std::unique_ptr<std::vector<float>>> decoded;
        for (int i = 0; i < 50; i++, step++) {
            tare_step(step);
            for (int s = 0; s < 3; s++) {
                decoded.push_back(std::make_unique<std::vector<float>>(3000, 0.5f));
                samples++;
            }
            learn(decoded.back()->data(), 3000, 5);
        }
    }
    std::printf("%zu samples\n", samples);
    return 0;
}
