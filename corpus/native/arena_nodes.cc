// arena_nodes.cc - parse trees in a bump arena that is rewound after every sentence.
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

class Arena {
public:
    explicit Arena(size_t size) : memory_(size) {}
    void *take(size_t size)
    {
        void *at = memory_.data() + used_;
        used_ += (size + 15) / 16 * 16;
        return at;
    }
    void rewind() { used_ = 0; }

private:
    std::vector<char> memory_;
    size_t used_ = 0;
};

struct Token {
    std::string text;
    int head;
};

Token *parse(Arena &arena, int index, uint64_t step)
{
    auto *token = new (arena.take(sizeof(Token))) Token();
    token->text.assign(60 + static_cast<size_t>(step % 3), 'x');
    token->head = index / 2;
    return token;
}

}  // namespace

int main()
{
    Arena arena(64 * 1024);
    size_t letters = 0;

    for (uint64_t step = 0; step < 400; step++) {
        tare_step(step);
        for (int i = 0; i < 24; i++)
            letters += parse(arena, i, step)->text.size();
        learn(nullptr, 0, 6);
        arena.rewind();
    }
    std::printf("%zu letters\n", letters);
    return 0;
}
