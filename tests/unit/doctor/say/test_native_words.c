/* Native code in one line. */
#include "base/arena.h"
#include "doctor/say/native_words.h"
#include "test.h"

#define H5PY .package = "h5py", .version = "3.16.0"

static const char *words(const struct native_place *native, size_t count)
{
    const struct finding finding = {.native = native, .native_count = count};

    return native_words(arena_new(), &finding);
}

TEST(native_words_name_the_way_and_the_entry)
{
    static const struct native_place native[] = {
        {.module = "libc.so.6", .function = "strdup", .serves = true},
        {.module = "libhdf5-9e18f0c6.so.320", .function = "H5T_convert", H5PY},
        {.module = "libhdf5-9e18f0c6.so.320", .function = "H5Pget_fill_value", H5PY},
        {.module = "h5p.cpython-311-x86_64-linux-gnu.so", .function = "get", H5PY},
    };

    CHECK_TEXT(words(native, 4), "h5py 3.16.0: h5p.so → libhdf5.so H5Pget_fill_value");
    CHECK_TEXT(words(native + 1, 2), "h5py 3.16.0: libhdf5.so H5Pget_fill_value");
    CHECK(words(native, 1) == NULL);
    CHECK(words(native, 0) == NULL);
}

TEST(native_words_say_when_a_name_is_only_near)
{
    static const struct native_place native[] = {
        {.module = "a.node", .function = "run", .beyond = 16, .offset = 0x1f30},
        {.module = "b.so", .offset = 0x20},
        {.offset = 0},
        {.module = "c.so.1", .function = "cv::resize(cv::Mat const&, int)"},
        {.module = "d.so", .function = "entry", .beyond = 4, .offset = 0x40},
        {.module = "d.so", .function = "main", .beyond = 400, .offset = 0x80},
    };

    CHECK_TEXT(words(native, 1), "a.node +0x1f30 (near run)");
    CHECK_TEXT(words(native + 1, 1), "b.so +0x20");
    CHECK_TEXT(words(native + 2, 1), "code made at run time");
    CHECK_TEXT(words(native + 3, 1), "c.so cv::resize");
    CHECK_TEXT(words(native + 4, 2), "d.so +0x80 (near main)");
    CHECK_TEXT(words(native, 5), "… → code made at run time → b.so → a.node +0x1f30 (near run)");
}
