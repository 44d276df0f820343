/* test_carry.c - program files made by hand: what they are, and what only looks like one. */
#include <elf.h>
#include <stdlib.h>

#include "../../lib/counted_file.h"
#include "base/carry.h"
#include "test.h"

#define SIZE        8192
#define BASE        0x400000ull
#define INTERPRETER 0x200
#define DYNAMIC     0x300
#define STRINGS     0x600
#define SYMBOLS     0x800
#define HASH        0xa00

struct file {
    unsigned char bytes[SIZE];
    size_t size;
};

/* What carry_elf says of the file, after at most so many reads. */
static enum carry examined(const struct file *file, unsigned reads_most)
{
    struct counted_file counted = {.bytes = file->bytes, .size = file->size};
    const enum carry carry = carry_elf(counted_file_read, &counted);

    CHECK(counted.reads < reads_most);
    return carry;
}

static void put(struct file *file, uint64_t at, const void *bytes, size_t size)
{
    memcpy(file->bytes + at, bytes, size);
}

static void put_word(struct file *file, uint64_t at, uint32_t word)
{
    put(file, at, &word, sizeof(word));
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;

    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* One bucket, a filter that lets everything through, and one symbol. */
static void put_gnu_hash(struct file *file, const char *name)
{
    const uint64_t filter = ~0ull;

    put_word(file, HASH, 1);
    put_word(file, HASH + 4, 1);
    put_word(file, HASH + 8, 1);
    put_word(file, HASH + 12, 6);
    put(file, HASH + 16, &filter, sizeof(filter));
    put_word(file, HASH + 24, 1);
    put_word(file, HASH + 28, gnu_hash(name) | 1);
}

/* One bucket, which leads to symbol 1. */
static void put_old_hash(struct file *file)
{
    put_word(file, HASH, 1);
    put_word(file, HASH + 4, 2);
    put_word(file, HASH + 8, 1);
}

/* A program with one library and one symbol; either may be NULL. */
static struct file make(const char *library, const char *symbol, int64_t hash_tag)
{
    const Elf64_Sym entry = {.st_name = 100, .st_shndx = 1};
    const Elf64_Dyn dynamic[] = {{DT_STRTAB, {BASE + STRINGS}},         {DT_STRSZ, {200}},
                                 {DT_SYMTAB, {BASE + SYMBOLS}},         {hash_tag, {BASE + HASH}},
                                 {library ? DT_NEEDED : DT_DEBUG, {1}}, {DT_NULL, {0}}};
    const Elf64_Phdr segments[] = {
        {.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = SIZE},
        {.p_type = PT_INTERP, .p_offset = INTERPRETER, .p_filesz = 28},
        {.p_type = PT_DYNAMIC, .p_offset = DYNAMIC, .p_filesz = sizeof(dynamic)}};
    const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                               .e_machine = EM_X86_64,
                               .e_phoff = sizeof(header),
                               .e_phentsize = sizeof(Elf64_Phdr),
                               .e_phnum = 3};
    struct file file = {.size = SIZE};

    put(&file, 0, &header, sizeof(header));
    put(&file, sizeof(header), segments, sizeof(segments));
    put(&file, INTERPRETER, "/lib64/ld-linux-x86-64.so.2", 28);
    put(&file, DYNAMIC, dynamic, sizeof(dynamic));
    put(&file, SYMBOLS + sizeof(entry), &entry, sizeof(entry));
    if (library)
        put(&file, STRINGS + 1, library, strlen(library) + 1);
    if (symbol)
        put(&file, STRINGS + 100, symbol, strlen(symbol) + 1);
    if (symbol && hash_tag == DT_GNU_HASH)
        put_gnu_hash(&file, symbol);
    if (symbol && hash_tag == DT_HASH)
        put_old_hash(&file);
    return file;
}

static enum carry judged(struct file file)
{
    return examined(&file, 40);
}

TEST(plain_programs_carry)
{
    CHECK_EQ(judged(make("libc.so.6", "main", DT_GNU_HASH)), CARRY_YES);
    CHECK_EQ(judged(make("libubsan.so.1", NULL, DT_GNU_HASH)), CARRY_YES);
    CHECK_EQ(judged(make("mylibasan.so", "__asan_init_v4", DT_HASH)), CARRY_YES);
}

TEST(sanitizers_are_known_by_library_and_symbol)
{
    CHECK_EQ(judged(make("libasan.so.8", NULL, DT_GNU_HASH)), CARRY_sanitizer);
    CHECK_EQ(judged(make("libclang_rt.asan-x86_64.so", NULL, DT_GNU_HASH)), CARRY_sanitizer);
    CHECK_EQ(judged(make("libc.so.6", "__tsan_init", DT_GNU_HASH)), CARRY_sanitizer);
    CHECK_EQ(judged(make("libc.so.6", "__msan_init", DT_HASH)), CARRY_sanitizer);
    CHECK_EQ(judged(make("libc.so.6", "malloc", DT_GNU_HASH)), CARRY_own_malloc);
}

/* gcc's static runtimes: malloc is offered, and among those that are only wanted is one of theirs.
 */
TEST(sanitizers_are_known_by_what_they_want)
{
    struct file file = make("libc.so.6", "malloc", DT_GNU_HASH);
    const Elf64_Sym names[] = {{.st_name = 120, .st_shndx = SHN_UNDEF},
                               {.st_name = 100, .st_shndx = 1}};

    put(&file, SYMBOLS + sizeof(names[0]), names, sizeof(names));
    put(&file, STRINGS + 120, "__sanitizer_symbolize_code", 27);
    put_word(&file, HASH + 4, 2);
    put_word(&file, HASH + 24, 2);
    CHECK_EQ(judged(file), CARRY_sanitizer);
}

TEST(symbols_that_are_only_wanted_do_not_count)
{
    struct file file = make("libc.so.6", "malloc", DT_GNU_HASH);
    const Elf64_Sym wanted = {.st_name = 100, .st_shndx = SHN_UNDEF};

    put(&file, SYMBOLS + sizeof(wanted), &wanted, sizeof(wanted));
    CHECK_EQ(judged(file), CARRY_YES);
}

TEST(loaders_and_processors)
{
    struct file musl = make(NULL, NULL, DT_GNU_HASH), none = make(NULL, NULL, DT_GNU_HASH);
    struct file arm = none, small = none;

    put(&musl, INTERPRETER, "/lib/ld-musl-x86_64.so.1", 25);
    CHECK_EQ(judged(musl), CARRY_musl);
    put_word(&none, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), PT_NOTE);
    CHECK_EQ(judged(none), CARRY_linked_statically);
    arm.bytes[18] = EM_AARCH64;
    CHECK_EQ(judged(arm), CARRY_processor);
    small.bytes[EI_CLASS] = ELFCLASS32;
    CHECK_EQ(judged(small), CARRY_bits_32);
}

/* Cut at every byte, and every byte changed: an answer, few reads, and no byte beyond the file. */
TEST(carry_survives_every_bad_file)
{
    const struct file whole = make("libasan.so.8", "malloc", DT_GNU_HASH);

    for (size_t size = 0; size < 0xb00; size++) {
        struct file cut = whole;

        cut.size = size;
        (void)examined(&cut, 2000);
    }
    for (size_t at = 0; at < 0xb00; at++)
        for (int change = 1; change < 256; change = change * 2 + 1) {
            struct file bad = whole;

            bad.bytes[at] ^= (unsigned char)change;
            (void)examined(&bad, 2000);
        }
}

TEST(forms_of_files)
{
    char script[64] = "#! /bin/sh -e\nexit\n", bare[64] = "#!/bin/sh", empty[64] = "#!";

    CHECK_EQ(carry_form("\177ELF\2", 5), FORM_ELF);
    CHECK_EQ(carry_form("\177EL", 3), FORM_TEXT);
    CHECK_EQ(carry_form("echo\n\0", 6), FORM_TEXT);
    CHECK_EQ(carry_form("ec\0ho\n", 6), FORM_OTHER);
    CHECK_EQ(carry_form("", 0), FORM_TEXT);
    CHECK_EQ(carry_form(script, strlen(script)), FORM_SCRIPT);
    CHECK_TEXT(carry_interpreter(script, strlen(script)), "/bin/sh");
    CHECK_TEXT(carry_interpreter(bare, strlen(bare)), "/bin/sh");
    CHECK_TEXT(carry_interpreter(empty, strlen(empty)), "");
}

TEST(every_reason_has_its_words)
{
    CHECK(!carry_why(CARRY_YES) && carry_keeps(CARRY_YES));
    for (unsigned i = 1; i < CARRY_REASONS; i++)
        CHECK(carry_why(i));
    CHECK(!carry_why(CARRY_REASONS) && !carry_keeps(CARRY_REASONS));
    CHECK(!carry_keeps(CARRY_sanitizer) && carry_keeps(CARRY_linked_statically));
}
