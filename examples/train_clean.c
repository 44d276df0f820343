/* train_clean.c - the same training loop as train_leaky.c, with one set of activations for all
 * steps: its memory stays where it is.
 *
 *     build/tare run -- build/examples/train_clean
 */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

enum { STEPS = 600, BATCH = 64, WIDTH = 256, INPUTS = 128 };

static float forward(const float *weights, const float *batch, float *out)
{
    float loss = 0;

    for (int row = 0; row < BATCH; row++) {
        for (int column = 0; column < WIDTH; column++) {
            float sum = 0;
            for (int k = 0; k < INPUTS; k++)
                sum += batch[row * INPUTS + k] * weights[column * INPUTS + k];
            out[row * WIDTH + column] = sum > 0 ? sum : 0;
            loss += out[row * WIDTH + column];
        }
    }
    return loss / (BATCH * WIDTH);
}

int main(void)
{
    float *weights = calloc(WIDTH * INPUTS, sizeof(*weights));
    float *activations = malloc(BATCH * WIDTH * sizeof(*activations));
    float loss = 0;

    for (uint64_t step = 0; weights && activations && step < STEPS; step++) {
        float *batch;

        tare_step(step);
        batch = malloc(BATCH * INPUTS * sizeof(*batch));
        if (!batch)
            abort();
        for (int i = 0; i < BATCH * INPUTS; i++)
            batch[i] = (float)((step + (uint64_t)i) % 17) * 0.1f;
        loss = forward(weights, batch, activations);
        for (int i = 0; i < WIDTH * INPUTS; i++)
            weights[i] += 0.001f * (0.5f - loss) * batch[i % (BATCH * INPUTS)];
        free(batch);
    }
    printf("loss %.4f\n", (double)loss);
    free(activations);
    free(weights);
    return 0;
}
