// poll_stream.cc - sensor messages are parsed into maps of fields and thrown away. No marked steps.
#include <cstdio>
#include <map>
#include <string>

#include <unistd.h>

#include "work.h"

namespace {

std::map<std::string, std::string> parse(uint64_t *seed)
{
    std::map<std::string, std::string> fields;
    const size_t count = 4 + chance_below(seed, 12);

    for (size_t i = 0; i < count; i++)
        fields["sensor/temperature/" + std::to_string(i)] = std::string(chance_below(seed, 400), '7');
    return fields;
}

}  // namespace

int main()
{
    uint64_t seed = 47;
    size_t total = 0;

    for (int i = 0; i < 1800; i++) {
        for (const auto &field : parse(&seed))
            total += field.second.size();
        learn(nullptr, 0, 2);
        usleep(1500);
    }
    std::printf("%zu bytes\n", total);
    return 0;
}
