/* late_augment.c - training whose augmentation is switched on after a while. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { PIXELS = 1500, STEPS = 600, AUGMENT_FROM = 250 };

static float *rotate(const float *image)
{
    float *turned = malloc(PIXELS * sizeof(*turned));

    for (int i = 0; i < PIXELS; i++)
        turned[i] = image[PIXELS - 1 - i];
    return turned;
}

static float *augment(float *image, uint64_t step)
{
    float *turned = rotate(image);

    if (step < AUGMENT_FROM) {
        memcpy(image, turned, PIXELS * sizeof(*image));
        free(turned);
        return image;
    }
    for (int i = 0; i < PIXELS; i++)
        image[i] = 0.5f * (image[i] + turned[i]);
    return image;
}

int main(void)
{
    double loss = 0;

    for (uint64_t step = 0; step < STEPS; step++) {
        float *image;

        tare_step(step);
        image = malloc(PIXELS * sizeof(*image));
        fill_floats(image, PIXELS, step);
        loss += (double)learn(augment(image, step), PIXELS, 5);
        free(image);
    }
    printf("loss %.3f\n", loss);
    return 0;
}
