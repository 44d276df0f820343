/* carry.c - see carry.h.
 *
 * The program headers lead to the interpreter and to the dynamic section. The dynamic section names
 * the libraries and leads to the symbols, which are found through their hash table, as the loader
 * does it: Node exports 70,000 names, and only a few dozen bytes of them are read.
 */
#include "base/carry.h"

#include <elf.h>
#include <string.h>

#define SEGMENTS_MAX  64  /* program headers that are read; linkers write about a dozen */
#define LOADS_MAX     8   /* segments to translate addresses by */
#define DYNAMIC_MAX   512 /* entries of the dynamic section */
#define LIBRARIES_MAX 128 /* names of libraries that are read */
#define CHAIN_MAX     64  /* symbols of one hash bucket */
#define WINDOW        384 /* bytes that are read at once, because neighbouring data is needed next */
#define WANTED_MAX    256 /* undefined symbols that are read */
#define WORD_MAX      32  /* longest name that is searched for, with its zero */

#define REASON(name, keeps, why)
#define SANITIZER_FUNCTION(name)
#define SANITIZER_WANTS(name)
#define SANITIZER_LIBRARY(name)

static const char *const reasons[] = {
    NULL,
#undef REASON
#define REASON(name, keeps, why) why,
#include "base/carry.def"
};

static const bool kept[] = {
    true,
#undef REASON
#define REASON(name, keeps, why) keeps,
#include "base/carry.def"
#undef REASON
#define REASON(name, keeps, why)
};

static const char *const functions[] = {
#undef SANITIZER_FUNCTION
#define SANITIZER_FUNCTION(name) name,
#include "base/carry.def"
#undef SANITIZER_FUNCTION
#define SANITIZER_FUNCTION(name)
};

static const char *const wanted[] = {
#undef SANITIZER_WANTS
#define SANITIZER_WANTS(name) name,
#include "base/carry.def"
#undef SANITIZER_WANTS
#define SANITIZER_WANTS(name)
};

static const char *const libraries[] = {
#undef SANITIZER_LIBRARY
#define SANITIZER_LIBRARY(name) name,
#include "base/carry.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *carry_why(unsigned reason)
{
    return reason < CARRY_REASONS ? reasons[reason] : NULL;
}

bool carry_keeps(unsigned reason)
{
    return reason < CARRY_REASONS && kept[reason];
}

/* ---- the first bytes ---- */

enum carry_form carry_form(const char *head, size_t length)
{
    const char *end = memchr(head, '\n', length);

    if (length >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
        return FORM_ELF;
    if (length >= 2 && head[0] == '#' && head[1] == '!')
        return FORM_SCRIPT;
    /* A shell takes a file for a text if its first line holds no zero byte. */
    return memchr(head, 0, end ? (size_t)(end - head) : length) ? FORM_OTHER : FORM_TEXT;
}

const char *carry_interpreter(char *head, size_t length)
{
    char *word;

    head[length] = 0;
    word = head + 2 + strspn(head + 2, " \t");
    word[strcspn(word, " \t\r\n")] = 0;
    return word;
}

/* ---- the file by its addresses ---- */

struct load {
    uint64_t address, offset, size;
};

struct image {
    carry_read *read;
    void *from;
    Elf64_Phdr interpreter, dynamic; /* p_type is PT_NULL where there is none */
    uint64_t strings, string_size, symbols, gnu_hash, hash; /* addresses; 0: none */
    unsigned load_count;
    struct load loads[LOADS_MAX];
    uint64_t window_offset; /* where in the file the bytes that were read last begin */
    size_t window_size;
    char window[WINDOW];
};

/* The bytes at an offset, at most WINDOW of them, valid until the next call; NULL: they are not
 * there. */
static const char *bytes_at(struct image *image, size_t size, uint64_t offset)
{
    uint64_t inside = offset - image->window_offset;

    if (offset < image->window_offset || inside > image->window_size ||
        size > image->window_size - inside) {
        const long length = offset > INT64_MAX - WINDOW
                                ? -1
                                : image->read(image->from, image->window, WINDOW, offset);

        image->window_offset = offset;
        image->window_size = length > 0 ? (size_t)length : 0;
        inside = 0;
    }
    return size <= image->window_size - inside ? image->window + inside : NULL;
}

static bool read_all(struct image *image, void *bytes, size_t size, uint64_t offset)
{
    const char *found = bytes_at(image, size, offset);

    if (found)
        memcpy(bytes, found, size);
    return found != NULL;
}

static bool read_address(struct image *image, void *bytes, size_t size, uint64_t address)
{
    for (unsigned i = 0; i < image->load_count; i++) {
        const struct load *load = &image->loads[i];
        const uint64_t inside = address - load->address;

        if (address >= load->address && inside < load->size && size <= load->size - inside)
            return read_all(image, bytes, size, load->offset + inside);
    }
    return false;
}

/* Does a string of the string table begin with this text (`whole`: and end there)? */
static bool string_is(struct image *image, uint64_t at, const char *text, bool whole)
{
    const size_t length = strlen(text) + (whole ? 1 : 0);
    char name[WORD_MAX];

    return at < image->string_size && length <= image->string_size - at && length <= sizeof(name) &&
           read_address(image, name, length, image->strings + at) &&
           memcmp(name, text, length) == 0;
}

/* ---- symbols ---- */

static bool symbol_is(struct image *image, uint32_t index, const char *name)
{
    Elf64_Sym symbol;

    return read_address(image, &symbol, sizeof(symbol),
                        image->symbols + (uint64_t)index * sizeof(symbol)) &&
           symbol.st_shndx != SHN_UNDEF && string_is(image, symbol.st_name, name, true);
}

static bool word_at(struct image *image, uint64_t table, uint64_t index, uint32_t *word)
{
    return read_address(image, word, sizeof(*word), table + index * sizeof(*word));
}

/* The GNU hash table: counts, a filter of 64-bit words, buckets, and one chain of hashes parallel
 * to the symbols. The lowest bit of a hash ends its bucket. */
static bool offered_gnu(struct image *image, const char *name)
{
    uint32_t head[4], hash = 5381, index,
                      found; /* head: buckets, first symbol, filter words, shift */
    uint64_t filter, bits, buckets, chains;

    for (const char *at = name; *at; at++)
        hash = hash * 33 + (unsigned char)*at;
    if (!read_address(image, head, sizeof(head), image->gnu_hash) || head[0] == 0 || head[2] == 0)
        return false;
    bits = 1ull << hash % 64 | 1ull << (hash >> (head[3] & 31)) % 64;
    if (!read_address(image, &filter, sizeof(filter),
                      image->gnu_hash + sizeof(head) + (uint64_t)(hash / 64 % head[2]) * 8) ||
        (filter & bits) != bits)
        return false;
    buckets = image->gnu_hash + sizeof(head) + (uint64_t)head[2] * 8;
    chains = buckets + (uint64_t)head[0] * sizeof(uint32_t);
    if (!word_at(image, buckets, hash % head[0], &index) || index < head[1])
        return false;
    for (unsigned i = 0; i < CHAIN_MAX; i++, index++) {
        if (!word_at(image, chains, index - head[1], &found))
            return false;
        if ((found | 1) == (hash | 1) && symbol_is(image, index, name))
            return true;
        if (found & 1)
            return false;
    }
    return false;
}

/* The older table: counts of buckets and symbols, the buckets, and a chain of symbol indexes. */
static bool offered_old(struct image *image, const char *name)
{
    uint32_t head[2], hash = 0, index;

    for (const char *at = name; *at; at++) {
        const uint32_t high = (hash = (hash << 4) + (unsigned char)*at) & 0xf0000000;

        hash = (hash ^ high >> 24) & ~high;
    }
    if (!read_address(image, head, sizeof(head), image->hash) || head[0] == 0 ||
        !word_at(image, image->hash, 2 + hash % head[0], &index))
        return false;
    for (unsigned i = 0; i < CHAIN_MAX && index != STN_UNDEF && index < head[1]; i++) {
        if (symbol_is(image, index, name))
            return true;
        if (!word_at(image, image->hash, 2 + (uint64_t)head[0] + index, &index))
            return false;
    }
    return false;
}

static bool offers(struct image *image, const char *name)
{
    if (!image->symbols || !image->strings)
        return false;
    return image->gnu_hash ? offered_gnu(image, name) : image->hash && offered_old(image, name);
}

/* Is a function of this name undefined here? Undefined symbols come before all exported ones. */
static bool wants(struct image *image, const char *name)
{
    uint32_t head[2]; /* of either table: the second word bounds them */
    Elf64_Sym symbol;

    if (!read_address(image, head, sizeof(head), image->gnu_hash ? image->gnu_hash : image->hash))
        return false;
    for (uint64_t i = 1; i < head[1] && i < WANTED_MAX; i++)
        if (read_address(image, &symbol, sizeof(symbol), image->symbols + i * sizeof(symbol)) &&
            symbol.st_shndx == SHN_UNDEF && string_is(image, symbol.st_name, name, true))
            return true;
    return false;
}

/* ---- the dynamic section ---- */

static bool entry_at(struct image *image, unsigned index, Elf64_Dyn *entry)
{
    const uint64_t at = (uint64_t)index * sizeof(*entry);

    return index < DYNAMIC_MAX && at < image->dynamic.p_filesz &&
           read_all(image, entry, sizeof(*entry), image->dynamic.p_offset + at) &&
           entry->d_tag != DT_NULL;
}

/* The number of libraries that it names. */
static unsigned read_dynamic(struct image *image)
{
    unsigned named = 0;
    Elf64_Dyn entry;

    for (unsigned i = 0; entry_at(image, i, &entry); i++) {
        named += entry.d_tag == DT_NEEDED;
        if (entry.d_tag == DT_STRTAB)
            image->strings = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ)
            image->string_size = entry.d_un.d_val;
        if (entry.d_tag == DT_SYMTAB)
            image->symbols = entry.d_un.d_ptr;
        if (entry.d_tag == DT_GNU_HASH)
            image->gnu_hash = entry.d_un.d_ptr;
        if (entry.d_tag == DT_HASH)
            image->hash = entry.d_un.d_ptr;
    }
    return named;
}

static bool needs_sanitizer(struct image *image, unsigned named)
{
    Elf64_Dyn entry;

    named = named < LIBRARIES_MAX ? named : LIBRARIES_MAX;
    for (unsigned i = 0; named > 0 && entry_at(image, i, &entry); i++) {
        if (entry.d_tag != DT_NEEDED)
            continue;
        named--;
        for (size_t k = 0; k < COUNT(libraries); k++)
            if (string_is(image, entry.d_un.d_val, libraries[k], false))
                return true;
    }
    return false;
}

bool carry_is_sanitizer(const char *path, size_t length)
{
    const char *slash = memrchr(path, '/', length);
    const size_t rest = slash ? length - (size_t)(slash + 1 - path) : length;

    for (size_t i = 0; i < COUNT(libraries); i++)
        if (strlen(libraries[i]) <= rest &&
            memcmp(path + length - rest, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}

bool carry_preloads_sanitizer(const char *list)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ": ");

        if (carry_is_sanitizer(at, length))
            return true;
        at += length;
        if (!*at)
            return false;
    }
}

/* ---- the whole ---- */

static void take_segment(struct image *image, const Elf64_Phdr *segment)
{
    if (segment->p_type == PT_INTERP)
        image->interpreter = *segment;
    if (segment->p_type == PT_DYNAMIC)
        image->dynamic = *segment;
    if (segment->p_type == PT_LOAD && image->load_count < LOADS_MAX)
        image->loads[image->load_count++] =
            (struct load){segment->p_vaddr, segment->p_offset, segment->p_filesz};
}

static bool names_musl(struct image *image)
{
    const uint64_t length = image->interpreter.p_filesz;
    const size_t size = length < WINDOW ? (size_t)length : WINDOW;
    const char *path = bytes_at(image, size, image->interpreter.p_offset);

    return path && memmem(path, size, "ld-musl", 7) != NULL;
}

static enum carry contents(struct image *image)
{
    const unsigned named = read_dynamic(image);

    if (needs_sanitizer(image, named))
        return CARRY_sanitizer;
    for (size_t i = 0; i < COUNT(functions); i++)
        if (offers(image, functions[i]))
            return CARRY_sanitizer;
    if (!offers(image, "malloc"))
        return CARRY_YES;
    for (size_t i = 0; i < COUNT(wanted); i++)
        if (wants(image, wanted[i]))
            return CARRY_sanitizer;
    return CARRY_own_malloc;
}

enum carry carry_elf(carry_read *read, void *from)
{
    struct image image = {.read = read, .from = from};
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    /* Class and processor are at the same place in files of 32 bits, which are shorter than 64
     * bytes only if they hold nothing. */
    if (!read_all(&image, &header, sizeof(header), 0) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return CARRY_YES;
    if (header.e_machine != EM_X86_64 && header.e_machine != EM_386)
        return CARRY_processor;
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        return CARRY_bits_32;
    if (header.e_phentsize != sizeof(segment))
        return CARRY_YES;
    for (unsigned i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
        if (!read_all(&image, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment)))
            return CARRY_YES;
        take_segment(&image, &segment);
    }
    if (image.interpreter.p_type == PT_NULL)
        return CARRY_linked_statically;
    return names_musl(&image) ? CARRY_musl : contents(&image);
}
