/* stack_await.c - see stack_await.h. */
#include "probe/js/stack_await.h"

#include <dlfcn.h>
#include <string.h>

#include "probe/core/raw.h"
#include "probe/js/awaited_pure.h"
#include "probe/js/stack_js.h"
#include "probe/js/v8.h"

#define PRINTED      8192 /* bytes; what waits is printed last, and few frames run above it */
#define NAME_BYTES   96
#define FILE_BYTES   512
#define STREAM_BYTES 512  /* a std::ostream takes 272 */
#define FREE_NS      20000000u
#define SHARE        50

/* std::streambuf, as libstdc++ has had it since its ABI was fixed (GLIBCXX_3.4). */
struct buffer {
    const void *functions;
    char *in[3], *out_start, *out_at, *out_end;
    void *locale;
    void *room[8];
};

static struct {
    void (*print)(void *isolate, void *stream, void *filter); /* older ones take no filter */
    void (*new_buffer)(void *), (*free_buffer)(void *);
    void (*new_stream)(void *, void *), (*free_stream)(void *);
} found;

static uint32_t ready; /* atomic: 1 found, 2 not available, 0 not searched yet */

static __thread uint64_t began, spent; /* nanoseconds */

/* Threads that look at once find the same. */
static bool is_ready(void)
{
    uint32_t now = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);

    if (now == 0) {
        now = (v8_symbol(V8_print_stack, &found.print) ||
               v8_symbol(V8_print_stack_filtered, &found.print)) &&
                      v8_symbol(V8_new_buffer, &found.new_buffer) &&
                      v8_symbol(V8_free_buffer, &found.free_buffer) &&
                      v8_symbol(V8_new_stream, &found.new_stream) &&
                      v8_symbol(V8_free_stream, &found.free_stream)
                  ? 1
                  : 2;
        __atomic_store_n(&ready, now, __ATOMIC_RELEASE);
    }
    return now == 1;
}

bool stack_await_may_ask(void)
{
    const uint64_t now = raw_now();

    began = began ? began : now;
    return spent < FREE_NS + (now - began) / SHARE && is_ready();
}

/* A full buffer ends the output: the base class has nowhere else to put it, and does not throw. */
static size_t print(void *isolate, char *text, size_t room)
{
    _Alignas(16) char stream[STREAM_BYTES];
    struct buffer buffer;
    size_t length;

    memset(&buffer, 0, sizeof(buffer));
    found.new_buffer(&buffer);
    buffer.out_start = buffer.out_at = text;
    buffer.out_end = text + room;
    found.new_stream(stream, &buffer);
    found.print(isolate, stream, NULL);
    length = (size_t)(buffer.out_at - text);
    found.free_stream(stream);
    found.free_buffer(&buffer);
    return length < room ? length : 0; /* cut off: who waits is missing */
}

static void copy(char *to, size_t room, const char *from, size_t length)
{
    length = length < room - 1 ? length : room - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

unsigned stack_await_walk(struct ledger *ledger, struct native_frame *frames, unsigned max,
                          unsigned *whose)
{
    const uint64_t start = raw_now();
    char text[PRINTED], name[NAME_BYTES], file[FILE_BYTES];
    const char *at = text, *end = text;
    struct awaited one;
    unsigned count = 0;

    *whose = 0;
    if (is_ready())
        end = text + stack_js_with(print, text, sizeof(text));
    while (count < max && awaited_next(&at, end, &one)) {
        uint32_t unit;

        copy(name, sizeof(name), one.name, one.name_length);
        copy(file, sizeof(file), one.file, one.file_length);
        unit = stack_js_unit(ledger, name, file, whose);
        if (unit)
            frames[count++] = (struct native_frame){
                .unit = unit, .offset = (uint64_t)one.line << 32 | one.column};
    }
    spent += raw_now() - start;
    return count;
}
