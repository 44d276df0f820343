/* inflater.c - a program that begins to inflate and forgets to end it: a library allocates for it. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <tare/mark.h>

static int begin(z_stream *stream)
{
    memset(stream, 0, sizeof(*stream));
    return inflateInit(stream); /* here */
}

int main(void)
{
    for (unsigned i = 1; i <= 400; i++) {
        z_stream stream;

        if (begin(&stream) != Z_OK)
            return 1;
        tare_step(i);
    }
    return 0;
}
