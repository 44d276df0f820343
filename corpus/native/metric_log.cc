// metric_log.cc - a process-wide registry of metrics, each with a line of text per step.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

std::map<std::string, std::vector<std::string>> metrics;

void log_metric(const std::string &name, uint64_t step, float value)
{
    std::string line(700, ' ');
    std::snprintf(&line[0], line.size(), "%s at step %llu: %f", name.c_str(),
                  static_cast<unsigned long long>(step), static_cast<double>(value));
    metrics[name].push_back(line);
}

}  // namespace

int main()
{
    for (uint64_t step = 0; step < 400; step++) {
        tare_step(step);
        std::vector<float> batch(2048, 0.5f);
        const float loss = learn(batch.data(), batch.size(), 6);
        log_metric("loss", step, loss);
        log_metric("accuracy", step, 1.0f - loss);
    }
    std::printf("%zu metrics, %zu lines\n", metrics.size(), metrics["loss"].size());
    std::fflush(stdout);
    return 0;
}
