/* hook_list.c - an event bus; each training phase registers its handlers before it runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

typedef float handler(void *context, float loss);

struct hook {
    struct hook *next;
    handler *call;
    void *context;
};

struct window {
    float values[300];
    size_t at;
};

static struct hook *on_batch_end;

static void subscribe(handler *call, void *context)
{
    struct hook *hook = malloc(sizeof(*hook));

    hook->call = call;
    hook->context = context;
    hook->next = on_batch_end;
    on_batch_end = hook;
}

static float smooth(void *context, float loss)
{
    struct window *window = context;

    window->values[window->at++ % 300] = loss;
    return window->values[0];
}

static void run_phase(uint64_t phase)
{
    struct window *window = calloc(1, sizeof(*window));
    float loss;

    window->at = phase;
    subscribe(smooth, window);
    loss = learn(NULL, 0, 6);
    for (struct hook *hook = on_batch_end; hook; hook = hook->next)
        hook->call(hook->context, loss);
}

int main(void)
{
    for (uint64_t phase = 0; phase < 400; phase++) {
        tare_step(phase);
        run_phase(phase);
    }
    printf("newest %.3f\n", (double)smooth(on_batch_end->context, 0.0f));
    return 0;
}
