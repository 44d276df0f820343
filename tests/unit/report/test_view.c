/* test_view.c - the page's data: packed and unpacked, cut, and made without memory. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "build_ledger.h"
#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"
#include "report/json/json_writer.h"
#include "report/pack.h"
#include "report/view.h"
#include "test.h"

/* ---- packing ---- */

static int letter_value(char letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(letters, letter);

    return at && letter ? (int)(at - letters) : -1;
}

/* Base64 to bytes; a fault in it fails the test. */
static size_t unletter(const char *text, size_t length, uint8_t *out)
{
    size_t used = 0;

    CHECK_EQ(length % 4, 0);
    for (size_t i = 0; i + 3 < length; i += 4) {
        const int pads = (text[i + 3] == '=') + (text[i + 2] == '=');
        unsigned bits = 0;

        CHECK(pads == 0 || i + 4 == length);
        for (size_t k = 0; k < 4; k++) {
            const int value = (int)k >= 4 - pads ? 0 : letter_value(text[i + k]);

            CHECK(value >= 0);
            bits = bits << 6 | (unsigned)value;
        }
        for (int k = 0; k < 3 - pads; k++)
            out[used++] = (uint8_t)(bits >> (16 - 8 * k));
    }
    return used;
}

static void round_trip(const uint8_t *bytes, size_t size)
{
    uLongf back_size = size + 1;
    uint8_t *back = mem_zalloc(back_size), *packed_bytes;
    size_t length = 0, packed;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    FILE *in = pack_open(out);

    CHECK(in && back);
    CHECK_EQ(fwrite(bytes, 1, size, in), size);
    CHECK_EQ(fclose(in), 0);
    CHECK_EQ(fclose(out), 0);
    packed_bytes = mem_zalloc(length + 1);
    packed = unletter(text, length, packed_bytes);
    CHECK_EQ(uncompress(back, &back_size, packed_bytes, packed), Z_OK);
    CHECK_EQ(back_size, size);
    CHECK(memcmp(back, bytes, size) == 0);
    mem_free(back);
    mem_free(packed_bytes);
    free(text);
}

TEST(pack_is_zlib_in_base64)
{
    static uint8_t bytes[300000];
    uint64_t state = 88172645463325252u;

    for (size_t i = 0; i < sizeof(bytes); i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes[i] = (uint8_t)(state >> (i % 7 ? 32 : 60));
    }
    for (size_t size = 0; size < 40; size++)
        round_trip(bytes, size);
    round_trip(bytes, sizeof(bytes));
}

TEST(pack_tells_that_nothing_could_be_written)
{
    FILE *full = fopen("/dev/full", "we");
    FILE *in = full ? pack_open(full) : NULL;

    if (!in)
        test_skip("there is no /dev/full");
    setvbuf(full, NULL, _IONBF, 0);
    CHECK(fputs("something", in) >= 0);
    CHECK(fclose(in) != 0);
    (void)fclose(full);
}

/* ---- JSON ---- */

TEST(json_cuts_long_texts_between_characters)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct json json;

    json_init(&json, out);
    json.tight = true;
    json.longest = 4;
    json_list(&json, NULL);
    json_text(&json, NULL, "abcd");
    json_text(&json, NULL, "abcde");
    json_text(&json, NULL, "abc\xc3\xa9");
    json_text(&json, NULL, "");
    json_end(&json, ']');
    json_fini(&json);
    (void)fclose(out);
    CHECK_TEXT(text, "[\"abcd\",\"abcd…\",\"abc…\",\"\"]\n");
    free(text);
}

/* ---- without memory ---- */

static int write_once(unsigned long n, bool *whole)
{
    const struct report_options options = {.redact = n % 2 == 0};
    FILE *out = fopen("/dev/null", "we");
    struct diagnosis diagnosis;
    struct why why = {""};
    struct run run;
    int err;

    CHECK_EQ(run_load(&run, test_directory(), &why), 0);
    CHECK_EQ(diagnose(&diagnosis, &run, &why), 0);
    mem_fail_at(n);
    err = view_write(&run, &diagnosis, &options, out, &why);
    *whole = test_still_armed(n);
    CHECK(err == 0 || why.text[0]);
    diagnosis_free(&diagnosis);
    run_free(&run);
    (void)fclose(out);
    return err;
}

TEST(view_survives_running_out_of_memory)
{
    struct ledger ledger;
    bool whole = false;

    if (view_template_size == 0)
        test_skip("built without the page");
    build_small_process(&ledger, "10.0.tare");
    ledger_close(&ledger);
    build_small_run(&ledger, LEDGER_RUN_NAME);
    ledger_close(&ledger);
    for (unsigned long n = 1; !whole; n++) {
        int err = write_once(n, &whole);

        CHECK(n < 100000);
        CHECK(err == 0 || err == ERR_NOMEM);
    }
}
