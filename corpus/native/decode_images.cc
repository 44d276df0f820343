// decode_images.cc - decodes a stream of small images; a bad header raises and the image is skipped.
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

struct Header {
    int width, height;
    bool valid;
};

struct Image {
    unsigned char *pixels;
    int width, height;
};

Header read_header(uint64_t *seed)
{
    return {32, 32, chance_below(seed, 3) != 0};
}

void check(const Header &header)
{
    if (!header.valid)
        throw std::runtime_error("bad marker");
}

Image decode(const Header &header, uint64_t *seed)
{
    Image image = {nullptr, header.width, header.height};
    const size_t size = static_cast<size_t>(header.width * header.height * 3);

    image.pixels = new unsigned char[size];
    for (size_t i = 0; i < size; i++)
        image.pixels[i] = static_cast<unsigned char>(chance(seed));
    check(header);
    return image;
}

}  // namespace

int main()
{
    uint64_t seed = 5;
    int bad = 0;

    for (uint64_t step = 0; step < 300; step++) {
        tare_step(step);
        std::vector<float> means;
        for (int i = 0; i < 4; i++) {
            try {
                Image image = decode(read_header(&seed), &seed);
                means.push_back(image.pixels[0]);
                consume(image.pixels, 3072);
                delete[] image.pixels;
            } catch (const std::runtime_error &) {
                bad++;
            }
        }
        learn(means.data(), means.size(), 8);
    }
    std::printf("%d images could not be read\n", bad);
    return 0;
}
