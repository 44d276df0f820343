/* python_offsets.c - see python_offsets.h.
 *
 * Three sources, each checked against the others where they overlap: the table below, for frames and
 * thread states up to 3.12; from 3.13 on the table that the interpreter publishes at the start of
 * _PyRuntime; and in every version the member table of the code type, which the interpreter itself
 * uses to read co_filename and its like.
 */
#include "probe/python/python_offsets.h"

#include "probe/core/state.h"


#include <stdlib.h>
#include <string.h>

#define MINOR(version) ((version) >> 16 & 0xff)
#define RELEASED(version) (((version) >> 4 & 0xf) == 0xf)

/* Frames and thread states by minor version; the code's offsets come from its members. */
static const struct python_offsets built_in[] = {
    [9] = {.state_frame = 24, .holder_frame = PYTHON_ABSENT, .frame_previous = 24,
           .frame_code = 32, .frame_position = 104, .position_unit = 1,
           .frame_owner = PYTHON_ABSENT, .text_ascii = 48, .text_other = 72},
    [10] = {.state_frame = 24, .holder_frame = PYTHON_ABSENT, .frame_previous = 24,
            .frame_code = 32, .frame_position = 96, .position_unit = 2,
            .frame_owner = PYTHON_ABSENT, .text_ascii = 48, .text_other = 72},
    [11] = {.state_frame = 56, .holder_frame = 8, .frame_previous = 48, .frame_code = 32,
            .frame_position = 56, .frame_owner = 69, .code_first = 184, .text_ascii = 48,
            .text_other = 72},
    [12] = {.state_frame = 56, .holder_frame = 0, .frame_previous = 8, .frame_code = 0,
            .frame_position = 56, .frame_owner = 70, .code_first = 192, .text_ascii = 40,
            .text_other = 56},
};

/* Index of each field in the published table, in 64-bit words, by minor version. */
struct published {
    uint8_t state_frame, previous, code, position, owner, file, name, table, line, first;
};

static const struct published published[] = {
    [13] = {23, 29, 30, 31, 33, 35, 37, 38, 39, 43},
    [14] = {26, 32, 33, 34, 36, 40, 42, 43, 44, 48},
    [15] = {26, 40, 41, 42, 44, 48, 50, 51, 52, 56},
};

enum { WORD_COOKIE = 0, WORD_VERSION = 1, WORD_FREE_THREADED = 2 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- version ---- */

/* "3.9.18 (main, …": older interpreters have no number. */
static uint32_t parse_version(const char *text)
{
    char *end = NULL;
    const unsigned long major = strtoul(text, &end, 10);
    const unsigned long minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    const unsigned long micro = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    const unsigned long level = *end == ' ' || *end == '+' ? 0xf : 0xa;

    return (uint32_t)((major & 0xff) << 24 | (minor & 0xff) << 16 | (micro & 0xff) << 8 |
                      level << 4);
}

uint32_t python_version(const struct python_symbols *symbols)
{
    const char *(*get)(void) = NULL;

    if (symbols->version)
        return (uint32_t) * (const unsigned long *)symbols->version;
    memcpy(&get, &symbols->get_version, sizeof(get));
    return get ? parse_version(get()) : 0;
}

/* ---- the code type ---- */

uint16_t python_member_of(uintptr_t type, const char *name)
{
    const struct python_member *member =
        *(const struct python_member *const *)(type + TYPE_MEMBERS);

    for (; member && member->name; member++)
        if (strcmp(member->name, name) == 0 && member->offset > 0 && member->offset < 4096)
            return (uint16_t)member->offset;
    return PYTHON_ABSENT;
}

static bool is_called(uintptr_t type, const char *name)
{
    const char *own = *(const char *const *)(type + TYPE_NAME);

    return own && strcmp(own, name) == 0;
}

/* False also for builds with longer object headers: the names are not where they should be. */
static bool types_are_known(const struct python_symbols *symbols)
{
    return is_called(symbols->code_type, "code") && is_called(symbols->text_type, "str") &&
           is_called(symbols->bytes_type, "bytes");
}

static bool read_members(uintptr_t type, unsigned minor, struct python_offsets *out)
{
    out->code_file = python_member_of(type, "co_filename");
    out->code_line = python_member_of(type, "co_firstlineno");
    out->code_name = python_member_of(type, minor >= 11 ? "co_qualname" : "co_name");
    out->code_table = python_member_of(type, minor >= 10 ? "co_linetable" : "co_lnotab");
    return out->code_file != PYTHON_ABSENT && out->code_line != PYTHON_ABSENT &&
           out->code_name != PYTHON_ABSENT && out->code_table != PYTHON_ABSENT;
}

/* ---- the published table ---- */

static const char *read_published(const uint64_t *words, uint32_t version,
                                  struct python_offsets *out)
{
    const struct published *at = &published[MINOR(version)];

    if (!words || memcmp(&words[WORD_COOKIE], "xdebugpy", 8) != 0 ||
        words[WORD_VERSION] != version)
        return "publishes no table of its frames";
    if (words[WORD_FREE_THREADED] != 0)
        return "is a free-threaded build";
    *out = (struct python_offsets){.state_frame = (uint16_t)words[at->state_frame],
                                   .holder_frame = PYTHON_ABSENT,
                                   .frame_previous = (uint16_t)words[at->previous],
                                   .frame_code = (uint16_t)words[at->code],
                                   .frame_position = (uint16_t)words[at->position],
                                   .frame_owner = (uint16_t)words[at->owner],
                                   .code_first = (uint16_t)words[at->first],
                                   .text_ascii = 40,
                                   .text_other = 56};
    return NULL;
}

static bool agrees(const uint64_t *words, uint32_t version, const struct python_offsets *offsets)
{
    const struct published *at = &published[MINOR(version)];

    return words[at->file] == offsets->code_file && words[at->name] == offsets->code_name &&
           words[at->table] == offsets->code_table && words[at->line] == offsets->code_line;
}

const char *python_offsets_of(const struct python_symbols *symbols, uint32_t version,
                              struct python_offsets *out)
{
    const uint64_t *words = (const uint64_t *)symbols->runtime;
    const unsigned minor = MINOR(version);
    const bool publishes = minor < COUNT(published) && published[minor].state_frame != 0;
    const char *problem;

    if (version >> 24 != 3 || !RELEASED(version) ||
        !(publishes || (minor < COUNT(built_in) && built_in[minor].state_frame != 0)))
        return "is of a version whose frames are not known";
    problem = publishes ? read_published(words, version, out) : NULL;
    if (problem)
        return problem;
    if (!types_are_known(symbols))
        return "has objects of an unknown form";
    if (!publishes)
        *out = built_in[minor];
    if (!read_members(symbols->code_type, minor, out) ||
        (publishes && !agrees(words, version, out)))
        return "has code objects of an unknown form";
    return NULL;
}
