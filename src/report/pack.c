/* pack.c - see pack.h. No letter of base64 can end a script element or a quoted string. */
#include "report/pack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/mem.h"

struct pack {
    z_stream stream;
    FILE *out;              /* borrowed */
    unsigned char carry[3]; /* compressed bytes that do not make four letters yet */
    unsigned carried;       /* how many */
    bool failed;
};

static void put_letters(struct pack *pack)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits =
        (unsigned)pack->carry[0] << 16 | (unsigned)pack->carry[1] << 8 | (unsigned)pack->carry[2];

    for (unsigned i = 0; i < 4; i++)
        (void)fputc(i <= pack->carried ? letters[bits >> (18 - 6 * i) & 63] : '=', pack->out);
    pack->carried = 0;
    pack->carry[0] = pack->carry[1] = pack->carry[2] = 0;
}

static void put_bytes(struct pack *pack, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pack->carry[pack->carried++] = bytes[i];
        if (pack->carried == 3)
            put_letters(pack);
    }
}

static void squeeze(struct pack *pack, int flush)
{
    unsigned char buffer[16384];
    int state = Z_OK;

    do {
        pack->stream.next_out = buffer;
        pack->stream.avail_out = sizeof(buffer);
        state = deflate(&pack->stream, flush);
        put_bytes(pack, buffer, sizeof(buffer) - pack->stream.avail_out);
    } while (pack->stream.avail_out == 0 && state == Z_OK);
    pack->failed |= state != (flush == Z_FINISH ? Z_STREAM_END : Z_OK) && state != Z_BUF_ERROR;
}

static ssize_t pack_write(void *cookie, const char *bytes, size_t size)
{
    struct pack *pack = cookie;
    const size_t most = size < 1u << 30 ? size : 1u << 30;

    pack->stream.next_in = (Bytef *)(uintptr_t)bytes;
    pack->stream.avail_in = (uInt)most;
    squeeze(pack, Z_NO_FLUSH);
    return pack->failed ? 0 : (ssize_t)most;
}

static int pack_end(void *cookie)
{
    struct pack *pack = cookie;
    int bad;

    squeeze(pack, Z_FINISH);
    if (pack->carried > 0)
        put_letters(pack);
    bad = pack->failed || ferror(pack->out);
    (void)deflateEnd(&pack->stream);
    mem_free(pack);
    return bad ? EOF : 0;
}

FILE *pack_open(FILE *out)
{
    const cookie_io_functions_t functions = {.write = pack_write, .close = pack_end};
    struct pack *pack = mem_zalloc(sizeof(*pack));
    FILE *stream = NULL;

    if (!pack)
        return NULL;
    pack->out = out;
    if (deflateInit(&pack->stream, Z_BEST_COMPRESSION) == Z_OK) {
        stream = fopencookie(pack, "w", functions);
        if (!stream)
            (void)deflateEnd(&pack->stream);
    }
    if (!stream)
        mem_free(pack);
    return stream;
}
