// vocabulary.cc - counts word pieces; new ones become rare and then there are none left.
#include <cstdio>
#include <string>
#include <unordered_map>

#include <tare/mark.h>

#include "work.h"

namespace {

struct Piece {
    uint64_t count = 0;
    std::string spelling;
};

std::unordered_map<uint32_t, Piece> vocabulary;

void see(uint32_t code)
{
    Piece &piece = vocabulary[code];
    if (piece.count++ == 0)
        piece.spelling = std::string(150, static_cast<char>('a' + code % 26));
}

}  // namespace

int main()
{
    uint64_t seed = 13;

    vocabulary.reserve(4096);
    for (uint64_t step = 0; step < 600; step++) {
        tare_step(step);
        for (int i = 0; i < 60; i++)
            see(static_cast<uint32_t>(chance_below(&seed, 2500)));
        learn(nullptr, 0, 5);
    }
    std::printf("%zu pieces\n", vocabulary.size());
    std::fflush(stdout);
    return 0;
}
