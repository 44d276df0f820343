/* serve_loop.c - answers requests of random size, several in flight. No marked steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

enum { IN_FLIGHT = 16 };

struct request {
    char *body, *answer;
    size_t size;
};

static void request_open(struct request *request, uint64_t *seed)
{
    request->size = 500 + chance_below(seed, 20000);
    request->body = malloc(request->size);
    memset(request->body, 'q', request->size);
    request->answer = NULL;
}

static void request_close(struct request *request)
{
    if (!request->body)
        return;
    request->answer = malloc(request->size * 2);
    memcpy(request->answer, request->body, request->size);
    consume(request->answer, request->size);
    free(request->answer);
    free(request->body);
}

int main(void)
{
    struct request requests[IN_FLIGHT] = {{NULL, NULL, 0}};
    uint64_t seed = 19;

    for (uint64_t i = 0; i < 1800; i++) {
        struct request *request = &requests[chance_below(&seed, IN_FLIGHT)];

        request_close(request);
        request_open(request, &seed);
        learn(NULL, 0, 2);
        usleep(1500);
    }
    for (int i = 0; i < IN_FLIGHT; i++)
        request_close(&requests[i]);
    printf("served\n");
    return 0;
}
