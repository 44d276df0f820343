/* test_debug_files.c - what the files of this very program say: its functions, variables and lines. */
#include <elfutils/libdwfl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/source/debug_files.h"
#include "doctor/source/debuginfo.h"
#include "doctor/source/symbol_table.h"
#include "doctor/source/variables.h"
#include "test.h"

static int counter[3] = {7, 8, 9};

__attribute__((noinline)) static int count_up(void)
{
    static int inside;

    __asm__ volatile("" ::: "memory");
    return counter[1] + ++inside;
}

static int see(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1; /* the program itself comes first */
}

/* This program as libdwfl sees it; `address_of` gives addresses as its file has them. */
struct self {
    Dwfl *dwfl;
    Dwfl_Module *module;
    uint64_t bias;
};

static struct self open_self(void)
{
    static Dwfl_Callbacks callbacks;
    struct self self = {.bias = 0};
    const int fd = debug_files_open("/proc/self/exe");

    CHECK(fd >= 0);
    (void)dl_iterate_phdr(see, &self.bias);
    callbacks = debug_files_callbacks();
    self.dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(self.dwfl);
    self.module = dwfl_report_elf(self.dwfl, "self", "/proc/self/exe", fd, 0, true);
    CHECK(self.module && dwfl_report_end(self.dwfl, NULL, NULL) == 0);
    return self;
}

static uint64_t address_of(const struct self *self, const void *what)
{
    return (uint64_t)(uintptr_t)what - self->bias;
}

static uint64_t address_of_function(const struct self *self)
{
    return address_of(self, (const void *)(uintptr_t)&count_up);
}

TEST(symbol_table_names_the_function_around_an_address)
{
    struct self self = open_self();
    const uint64_t start = address_of_function(&self);
    struct symbol_table *table = symbol_table_new(self.module);

    CHECK(table && count_up() > 0);
    CHECK_TEXT(symbol_table_find(table, start), "count_up");
    CHECK_TEXT(symbol_table_find(table, start + 1), "count_up");
    CHECK(symbol_table_find(table, 0) == NULL);
    CHECK(symbol_table_find(table, UINT64_MAX) == NULL);
    CHECK(symbol_table_find(table, address_of(&self, counter)) == NULL); /* a variable */
    symbol_table_free(table);
    symbol_table_free(NULL);
    dwfl_end(self.dwfl);
}

TEST(symbol_table_is_made_or_not_at_all)
{
    struct self self = open_self();
    struct symbol_table *table = NULL;
    unsigned long n = 0;

    do {
        mem_fail_at(++n);
        table = symbol_table_new(self.module);
        CHECK((table != NULL) == (n > 3)); /* the table, its entries, their ends */
        symbol_table_free(table);
    } while (!test_still_armed(n) && n < 10);
    CHECK_EQ(n, 4);
    dwfl_end(self.dwfl);
}

TEST(debuginfo_names_function_file_and_line)
{
    struct self self = open_self();
    struct arena *arena = arena_new();
    struct debuginfo *info = debuginfo_new(self.module, arena);
    struct symbol found[SYMBOLS_INLINE_MAX];

    CHECK_EQ(debuginfo_find(info, address_of_function(&self), found), 1);
    CHECK_TEXT(found[0].function, "count_up");
    CHECK_CONTAINS(found[0].file, "tests/unit/doctor/source/test_debug_files.c");
    CHECK(found[0].line > 0 && !found[0].inlined);
    CHECK_EQ(debuginfo_find(info, 0, found), 0);
    CHECK_EQ(debuginfo_find(info, UINT64_MAX, found), 0);
    debuginfo_free(info);
    debuginfo_free(NULL);
    arena_free(arena);
    dwfl_end(self.dwfl);
}

TEST(variables_are_found_by_any_byte_of_theirs)
{
    struct self self = open_self();
    struct variable found;

    for (size_t i = 0; i < sizeof(counter); i++) {
        CHECK(variables_find(self.module, address_of(&self, (char *)counter + i), &found));
        CHECK_TEXT(found.name, "counter");
        CHECK_CONTAINS(found.file, "test_debug_files.c");
        CHECK(found.line > 0);
    }
    CHECK(!variables_find(self.module, address_of_function(&self), &found)); /* not a variable */
    CHECK(!variables_find(self.module, 0, &found));
    dwfl_end(self.dwfl);
}

TEST(debug_files_are_regular_and_opening_never_waits)
{
    char path[300];

    (void)snprintf(path, sizeof(path), "%s/pipe", test_directory());
    CHECK_EQ(mkfifo(path, 0600), 0);
    CHECK_EQ(debug_files_open(path), -1);
    CHECK_EQ(debug_files_open(test_directory()), -1);
    CHECK_EQ(debug_files_open("/dev/null"), -1);
    (void)snprintf(path, sizeof(path), "%s/none", test_directory());
    CHECK_EQ(debug_files_open(path), -1);
}

TEST(debug_files_have_a_name_made_of_the_build_id)
{
    static const uint8_t id[] = {0xab, 0xcd, 0xef, 0x01};
    char path[DEBUG_PATH_MAX];
    uint8_t longest[512] = {0};

    CHECK(debug_files_by_id(path, id, sizeof(id)));
    CHECK_CONTAINS(path, "/.build-id/ab/cdef01.debug");
    CHECK(!debug_files_by_id(path, id, 0) && !debug_files_by_id(path, id, 1));
    CHECK(!debug_files_by_id(path, longest, sizeof(longest)));
}

/* libdwfl calls it for a module without debug information; `link` names the file beside the module. */
static int find(struct self *self, const char *file, const char *link, char **found)
{
    return debug_files_callbacks().find_debuginfo(self->module, NULL, "self", 0, file, link, 1, found);
}

TEST(debug_file_has_the_build_id_and_its_name_is_ours_to_free)
{
    struct self self = open_self();
    char file[300], link[300], exe[4096] = "", *found = NULL;
    int fd;

    (void)snprintf(file, sizeof(file), "%s/program", test_directory());
    (void)snprintf(link, sizeof(link), "%s/program.debug", test_directory());
    CHECK_EQ(find(&self, file, "program.debug", &found), -1); /* it is not there */
    CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0 && symlink(exe, link) == 0);
    mem_fail_at(1);
    CHECK_EQ(find(&self, file, "program.debug", &found), -1);
    CHECK(!test_still_armed(1) && !found);
    fd = find(&self, file, "program.debug", &found);
    CHECK(fd >= 0);
    CHECK_TEXT(found, link);
    (void)close(fd);
    mem_free(found);
    CHECK(unlink(link) == 0 && symlink("/bin/sh", link) == 0);
    CHECK_EQ(find(&self, file, "program.debug", &found), -1); /* another build */
    dwfl_end(self.dwfl);
}
