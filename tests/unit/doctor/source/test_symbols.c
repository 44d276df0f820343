/* Symbols and places of this very program: it knows its own lines. */
#include "test.h"

#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/source/places.h"
#include "doctor/facts/runtimes.h"
#include "doctor/source/source.h"
#include "doctor/source/symbols.h"
#include "ledger/model.h"

struct self {
    char path[4096];
    uint64_t bias;
    uint8_t build_id[24];
    uint32_t build_id_size;
};

static void read_notes(const char *at, size_t size, struct self *self)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        const size_t name = (note->n_namesz + 3u) & ~3u, body = (note->n_descsz + 3u) & ~3u;

        if (note->n_type == 3 && note->n_namesz == 4 && note->n_descsz <= 24 &&
            memcmp(note + 1, "GNU", 4) == 0) {
            self->build_id_size = note->n_descsz;
            memcpy(self->build_id, (const char *)(note + 1) + name, note->n_descsz);
        }
        at += sizeof(*note) + name + body;
        size -= sizeof(*note) + name + body < size ? sizeof(*note) + name + body : size;
    }
}

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
    struct self *self = data;

    (void)size;
    self->bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_notes((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                       info->dlpi_phdr[i].p_memsz, self);
    return 1; /* the program itself comes first */
}

static struct self myself(void)
{
    struct self self = {.bias = 0};
    const ssize_t length = readlink("/proc/self/exe", self.path, sizeof(self.path) - 1);

    CHECK(length > 0);
    (void)dl_iterate_phdr(see, &self);
    return self;
}

__attribute__((noinline)) static uint64_t caller_address(void)
{
    return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

struct call {
    uint64_t address;
    unsigned line;
};

__attribute__((always_inline)) static inline struct call inlined_call(void)
{
    struct call call = {caller_address(), __LINE__};

    __asm__ volatile("" ::: "memory"); /* the call is not the last thing done */
    return call;
}

__attribute__((noinline)) static struct call outer_call(unsigned *line)
{
    struct call call;

    *line = __LINE__ + 1;
    call = inlined_call();
    __asm__ volatile("" ::: "memory");
    return call;
}

static struct model own = {.head = {.start_real = UINT64_MAX}};
static const struct run trusted = {.own = &own, .started_here = true};

TEST(symbols_name_the_line_and_the_inlined_function)
{
    struct self self = myself();
    struct arena *arena = arena_new();
    struct symbols *symbols = symbols_new(arena);
    struct symbols_module *module =
        symbols_open(symbols, self.path, self.build_id, self.build_id_size);
    const struct symbol *found, *again;
    unsigned line = 0;
    const struct call call = outer_call(&line);
    const size_t count = symbols_find(symbols, module, call.address - self.bias - 1, &found);

    CHECK(symbols_problem(module) == NULL);
    CHECK_EQ(count, 2);
    CHECK_TEXT(found[0].function, "inlined_call");
    CHECK_EQ(found[0].line, call.line);
    CHECK(found[0].inlined);
    CHECK_CONTAINS(found[0].file, "tests/unit/doctor/source/test_symbols.c");
    CHECK_TEXT(found[1].function, "outer_call");
    CHECK_EQ(found[1].line, line);
    CHECK(!found[1].inlined);
    CHECK_EQ(symbols_find(symbols, module, call.address - self.bias - 1, &again), 2);
    CHECK(again == found);
    symbols_free(symbols);
    arena_free(arena);
}

TEST(symbols_refuse_a_file_of_another_build)
{
    struct self self = myself();
    struct arena *arena = arena_new();
    struct symbols *symbols = symbols_new(arena);
    struct symbols_module *module;
    const struct symbol *found;

    self.build_id_size = 20;
    self.build_id[0] ^= 0xFF;
    module = symbols_open(symbols, self.path, self.build_id, self.build_id_size);
    CHECK_CONTAINS(symbols_problem(module), "build-id differs");
    CHECK_EQ(symbols_find(symbols, module, 4096, &found), 0);
    module = symbols_open(symbols, "/nonexistent/file", self.build_id, 20);
    CHECK_CONTAINS(symbols_problem(module), "No such file");
    module = symbols_open(symbols, "/dev/zero", self.build_id, 20);
    CHECK_CONTAINS(symbols_problem(module), "not an ELF file");
    symbols_free(symbols);
    arena_free(arena);
}

TEST(symbols_demangle_names_and_leave_others_alone)
{
    struct arena *arena = arena_new();
    struct symbols *symbols = symbols_new(arena);

    CHECK_TEXT(symbols_demangle(symbols, "_ZN5Cache3addEiPKc"), "Cache::add(int, char const*)");
    CHECK_TEXT(symbols_demangle(symbols, "main"), "main");
    CHECK_TEXT(symbols_demangle(symbols, "_Znonsense"), "_Znonsense");
    symbols_free(symbols);
    arena_free(arena);
}

TEST(runtimes_are_told_from_user_code)
{
    CHECK(runtimes_module("libc.so.6"));
    CHECK(runtimes_module("libc-2.31.so"));
    CHECK(runtimes_module("libstdc++.so.6.0.30"));
    CHECK(runtimes_module("libtcmalloc_minimal.so.4"));
    CHECK(runtimes_module("libtare-probe.so"));
    CHECK(!runtimes_module("libcrypto.so.3"));
    CHECK(!runtimes_module("libmodel.so"));
    CHECK(!runtimes_module("train"));
    CHECK(runtimes_interpreter("python"));
    CHECK(runtimes_interpreter("python3.11"));
    CHECK(runtimes_interpreter("libpython3.11.so.1.0"));
    CHECK(!runtimes_interpreter("python3_train"));
    CHECK(!runtimes_interpreter("libpythonic.so"));
    CHECK(runtimes_function("_Znwm", NULL));
    CHECK(runtimes_function("_ZNSt6vectorIiSaIiEE9push_backERKi", NULL));
    CHECK(runtimes_function(NULL, "/usr/include/c++/12/bits/new_allocator.h"));
    CHECK(!runtimes_function("_ZN5Cache3addEi", "/src/cache.cc"));
}

/* Three frames: an unknown place in the C library, then this program twice. */
static void make_model(struct model *model, struct model_module *modules,
                       struct model_frame *frames, const struct self *self, struct call call)
{
    modules[0] = (struct model_module){.path = "/nonexistent/libc.so.6"};
    modules[1] = (struct model_module){.path = self->path, .build_id_size = self->build_id_size};
    memcpy(modules[1].build_id, self->build_id, sizeof(self->build_id));
    frames[0] =
        (struct model_frame){.kind = FRAME_NATIVE, .unit = 1, .offset = 0x1234, .caller = 2};
    frames[1] = (struct model_frame){
        .kind = FRAME_NATIVE, .unit = 2, .offset = call.address - self->bias, .caller = 3};
    frames[2] = (struct model_frame){.kind = FRAME_NATIVE, .unit = 2, .offset = 1};
    *model = (struct model){.program = self->path,
                            .allocator = "",
                            .modules = modules,
                            .module_count = 2,
                            .frames = frames,
                            .frame_count = 3};
}

TEST(places_begin_with_the_innermost_user_frame)
{
    struct self self = myself();
    unsigned line = 0;
    const struct call call = outer_call(&line);
    struct model model;
    struct model_module modules[2];
    struct model_frame frames[3];
    struct arena *arena = arena_new();
    struct symbols *symbols = symbols_new(arena);
    struct sources *sources = sources_new(&trusted, arena);
    struct places *places;
    const struct place *list;
    size_t count;

    make_model(&model, modules, frames, &self, call);
    places = places_new(&model, symbols, sources, arena);
    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 3);
    CHECK_TEXT(list[0].function, "inlined_call");
    CHECK(list[0].user);
    CHECK_TEXT(list[1].function, "outer_call");
    CHECK_CONTAINS(list[1].text, "call = inlined_call();");
    CHECK_CONTAINS(list[2].function, "unit+0x1");
    places_of(places, 99, &list, &count);
    CHECK_EQ(count, 0);
    frames[0].caller = 0; /* nothing but the C library: it is shown as it is */
    places_free(places);
    places = places_new(&model, symbols, sources, arena);
    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 1);
    CHECK_TEXT(list[0].function, "libc.so.6+0x1234");
    CHECK(!list[0].user);
    places_free(places);
    sources_free(sources);
    symbols_free(symbols);
    arena_free(arena);
}

TEST(source_lines_are_trimmed_and_safe)
{
    struct arena *arena = arena_new();
    struct sources *sources = sources_new(&trusted, arena);
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/a.c", test_directory());
    file = fopen(path, "w");
    CHECK(file != NULL);
    (void)fputs("one\n\t x = \"\033[2J\xE2\x80\xAE\xFF\";  \r\n\n last", file);
    (void)fclose(file);
    CHECK_TEXT(sources_line(sources, path, 1), "one");
    CHECK_TEXT(sources_line(sources, path, 2), "x = \"\\x1b[2J\\u{202e}\\xff\";");
    CHECK(sources_line(sources, path, 3) == NULL);
    CHECK_TEXT(sources_line(sources, path, 4), "last");
    CHECK(sources_line(sources, path, 5) == NULL);
    CHECK(sources_line(sources, path, 0) == NULL);
    CHECK(sources_line(sources, test_directory(), 1) == NULL);
    (void)snprintf(path, sizeof(path), "%s/pipe", test_directory());
    CHECK_EQ(mkfifo(path, 0600), 0);
    CHECK(sources_line(sources, path, 1) == NULL); /* and does not wait */
    sources_free(sources);
    arena_free(arena);
}

TEST(places_of_python_name_the_file_the_line_and_the_function)
{
    const uint8_t table[] = {0x80 | 13 << 3, 2 << 1, 0x80 | 13 << 3, 3 << 1}; /* lines 3 and 6 */
    struct model_code code[] = {
        {.file = __FILE__, .name = "Net.forward", .first_line = 1, .version = 0x030b02f0,
         .table = table, .table_size = sizeof(table)},
        {.file = "/usr/lib/python3.11/threading.py", .name = "Thread.run", .first_line = 970},
        {.file = "", .name = ""},
    };
    struct model_frame frames[] = {
        {.kind = FRAME_PYTHON, .unit = 2, .offset = FRAME_NOT_BEGUN, .caller = 2},
        {.kind = FRAME_PYTHON, .unit = 1, .offset = 2, .caller = 3},
        {.kind = FRAME_PYTHON, .unit = 3, .caller = 4},
        {.kind = FRAME_PYTHON, .unit = 0},
    };
    const struct model model = {.program = "", .allocator = "", .code = code, .code_count = 3,
                                .frames = frames, .frame_count = 4};
    struct arena *arena = arena_new();
    struct symbols *symbols = symbols_new(arena);
    struct sources *sources = sources_new(&trusted, arena);
    struct places *places = places_new(&model, symbols, sources, arena);
    const struct place *list;
    size_t count;

    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 3); /* the library's frame is left out */
    CHECK_TEXT(list[0].function, "Net.forward");
    CHECK_TEXT(list[0].module, "python");
    CHECK_TEXT(list[0].file, __FILE__);
    CHECK_EQ(list[0].line, 6);
    CHECK(list[0].user && !list[0].inlined);
    CHECK(!list[1].file && list[1].line == 0);
    CHECK_TEXT(list[2].function, "(a Python function)");
    frames[0].caller = 0; /* nothing but the library: it is shown as it is */
    places_free(places);
    places = places_new(&model, symbols, sources, arena);
    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 1);
    CHECK_EQ(list[0].line, 970);
    CHECK(!list[0].user);
    places_free(places);
    sources_free(sources);
    symbols_free(symbols);
    arena_free(arena);
}
