/* symbols.c - see symbols.h. Each module has its own Dwfl at bias 0, so addresses are those of the file. */
#include "doctor/source/symbols.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/source/debug_files.h"
#include "doctor/source/debuginfo.h"
#include "doctor/source/symbol_table.h"
#include "doctor/source/variables.h"

#define NAME_LIMIT 4096 /* longer names are not demangled: they could exhaust the stack */

typedef char *demangle_fn(const char *name, char *buffer, size_t *length, int *status);

struct answer {
    const struct symbols_module *module; /* NULL: a free slot */
    uint64_t address;
    const struct symbol *list; /* in the arena */
    size_t count;
};

struct symbols_module {
    struct symbols_module *next; /* owned */
    char *path;                  /* owned */
    uint8_t build_id[BUILD_ID_MAX];
    size_t build_id_size;
    Dwfl *dwfl;             /* owned; NULL: its file cannot be used */
    Dwfl_Module *elf;       /* borrowed from dwfl */
    struct debuginfo *info; /* owned */
    struct symbol_table *table; /* owned; made when first needed */
    bool table_tried;
    const char *problem;    /* in the arena */
};

struct symbols {
    struct arena *arena;            /* borrowed */
    struct symbols_module *modules; /* owned */
    struct answer *answers;         /* owned, open-addressed, a power of two */
    size_t answer_count, answer_room;
    void *cxx; /* owned: handle of the C++ runtime */
    demangle_fn *demangle;
    bool cxx_tried;
};

struct symbols *symbols_new(struct arena *arena)
{
    struct symbols *symbols = mem_zalloc(sizeof(*symbols));

    if (symbols)
        symbols->arena = arena;
    return symbols;
}

static void module_free(struct symbols_module *module)
{
    debuginfo_free(module->info);
    symbol_table_free(module->table);
    if (module->dwfl)
        dwfl_end(module->dwfl);
    mem_free(module->path);
    mem_free(module);
}

void symbols_free(struct symbols *symbols)
{
    struct symbols_module *module = symbols ? symbols->modules : NULL;

    while (module) {
        struct symbols_module *next = module->next;

        module_free(module);
        module = next;
    }
    if (symbols && symbols->cxx)
        (void)dlclose(symbols->cxx);
    if (symbols)
        mem_free(symbols->answers);
    mem_free(symbols);
}

/* ---- modules ---- */

static void drop_file(struct symbols_module *module)
{
    if (module->dwfl)
        dwfl_end(module->dwfl);
    module->dwfl = NULL;
    module->elf = NULL;
}

/* dwfl_report_elf takes the descriptor over when it succeeds. */
static bool report_file(struct symbols_module *module, const char *path)
{
    static Dwfl_Callbacks callbacks;
    const int fd = debug_files_open(path);

    if (fd < 0)
        return false;
    callbacks = debug_files_callbacks();
    module->dwfl = dwfl_begin(&callbacks);
    if (module->dwfl) {
        dwfl_report_begin(module->dwfl);
        module->elf = dwfl_report_elf(module->dwfl, path, path, fd, 0, true);
        if (module->elf && dwfl_report_end(module->dwfl, NULL, NULL) == 0)
            return true;
    }
    if (!module->elf)
        (void)close(fd);
    drop_file(module);
    errno = ENOEXEC;
    return false;
}

static bool same_build(const struct symbols_module *module)
{
    const unsigned char *bits = NULL;
    GElf_Addr where;
    const int size = dwfl_module_build_id(module->elf, &bits, &where);

    return (size > 0 ? (size_t)size : 0) == module->build_id_size &&
           (size <= 0 || memcmp(bits, module->build_id, (size_t)size) == 0);
}

/* Uses the debug file alone if the program was replaced or removed after the run. */
static bool open_debug_file(struct symbols_module *module)
{
    char path[DEBUG_PATH_MAX];

    if (!debug_files_by_id(path, module->build_id, module->build_id_size) ||
        !report_file(module, path))
        return false;
    if (same_build(module))
        return true;
    drop_file(module);
    return false;
}

static void open_file(struct symbols *symbols, struct symbols_module *module)
{
    const char *reason = NULL;

    if (!report_file(module, module->path)) {
        reason = errno == ENOEXEC ? "is not an ELF file that can be read" : strerror(errno);
    } else if (!same_build(module)) {
        reason = "is not the file the program ran with (its build-id differs)";
        drop_file(module);
    }
    if (!module->elf && !open_debug_file(module)) {
        module->problem =
            arena_print(symbols->arena, "%s: %s; shown as module+offset", module->path, reason);
        return;
    }
    module->info = debuginfo_new(module->elf, symbols->arena);
}

struct symbols_module *symbols_open(struct symbols *symbols, const char *path,
                                    const uint8_t *build_id, size_t build_id_size)
{
    struct symbols_module *module = symbols->modules;
    const size_t size = build_id_size < BUILD_ID_MAX ? build_id_size : BUILD_ID_MAX;

    while (module &&
           (module->build_id_size != size || memcmp(module->build_id, build_id, size) != 0 ||
            strcmp(module->path, path) != 0))
        module = module->next;
    if (module)
        return module;
    module = mem_zalloc(sizeof(*module));
    if (module)
        module->path = mem_copy_text(path, strlen(path));
    if (!module || !module->path) {
        mem_free(module);
        return NULL;
    }
    memcpy(module->build_id, build_id, size);
    module->build_id_size = size;
    open_file(symbols, module);
    module->next = symbols->modules;
    symbols->modules = module;
    return module;
}

const char *symbols_problem(const struct symbols_module *module)
{
    return module->problem;
}

/* ---- names ---- */

/* The demangler is part of the C++ runtime; without that no C++ program can have run here. */
static demangle_fn *demangler(struct symbols *symbols)
{
    if (!symbols->cxx_tried) {
        void *entry;

        symbols->cxx_tried = true;
        symbols->cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        entry = symbols->cxx ? dlsym(symbols->cxx, "__cxa_demangle") : NULL;
        memcpy(&symbols->demangle, &entry, sizeof(entry)); /* an object pointer, in ISO C */
    }
    return symbols->demangle;
}

const char *symbols_demangle(struct symbols *symbols, const char *linkage)
{
    const char *result = linkage;
    demangle_fn *demangle;
    char *plain;
    int status = -1;

    if (!text_begins(linkage, "_Z") || strlen(linkage) > NAME_LIMIT)
        return linkage;
    demangle = demangler(symbols);
    plain = demangle ? demangle(linkage, NULL, NULL, &status) : NULL;
    if (plain && status == 0)
        result = arena_text(symbols->arena, plain, strlen(plain));
    free(plain);
    return result ? result : linkage;
}

static const char *kept(struct symbols *symbols, const char *text)
{
    return text ? arena_text(symbols->arena, text, strlen(text)) : NULL;
}

/* Symbol tables have only linkage names, and nothing about inlining. A suffix that a compiler adds after a
 * dot (.constprop.0, .part.1, .cold) is not part of the name. */
static const char *plain_name(struct symbols *symbols, const char *name)
{
    const size_t length = name ? strcspn(name, ".@") : 0;

    return length > 0 ? arena_text(symbols->arena, name, length) : NULL;
}

static const struct symbol_table *table_of(struct symbols_module *module)
{
    if (!module->table_tried && module->elf)
        module->table = symbol_table_new(module->elf);
    module->table_tried = true;
    return module->table;
}

static const char *table_name(struct symbols *symbols, struct symbols_module *module, uint64_t address)
{
    const struct symbol_table *table = table_of(module);

    return table ? plain_name(symbols, symbol_table_find(table, address)) : NULL;
}

const char *symbols_near(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                         uint64_t *distance)
{
    const struct symbol_table *table = table_of(module);
    const char *name = table ? symbol_table_near(table, address, distance) : NULL;

    name = plain_name(symbols, name);
    return name ? symbols_demangle(symbols, name) : NULL;
}

static size_t look_up(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                      const struct symbol **out)
{
    struct symbol found[SYMBOLS_INLINE_MAX];
    size_t count = module->info ? debuginfo_find(module->info, address, found) : 0;
    struct symbol *last, *list;

    if (count == 0) {
        found[0] = (struct symbol){0};
        count = 1;
    }
    last = &found[count - 1];
    if (!last->function && !last->linkage)
        last->linkage = table_name(symbols, module, address);
    if (!last->file && !last->linkage && !last->function)
        return 0;
    list = arena_take(symbols->arena, count, sizeof(*list));
    if (!list)
        return 0;
    for (size_t i = 0; i < count; i++) {
        list[i] = found[i];
        list[i].linkage = kept(symbols, found[i].linkage);
        list[i].function = list[i].linkage ? symbols_demangle(symbols, list[i].linkage)
                                           : kept(symbols, found[i].function);
    }
    *out = list;
    return count;
}

void symbols_files(struct symbols_module *module, uint64_t address,
                   void (*visit)(const char *file, void *with), void *with)
{
    struct symbol found[SYMBOLS_INLINE_MAX];
    const size_t count = module->info ? debuginfo_find(module->info, address, found) : 0;

    for (size_t i = 0; i < count; i++)
        if (found[i].file)
            visit(found[i].file, with);
}

/* ---- answers ---- */

static struct answer *slot_of(const struct symbols *symbols, const struct symbols_module *module,
                              uint64_t address)
{
    uint64_t hash = (address ^ (uint64_t)(uintptr_t)module) * 0x9E3779B97F4A7C15ull;
    size_t at = (size_t)(hash >> 32) & (symbols->answer_room - 1);

    while (symbols->answers[at].module &&
           (symbols->answers[at].module != module || symbols->answers[at].address != address))
        at = (at + 1) & (symbols->answer_room - 1);
    return &symbols->answers[at];
}

static bool make_room(struct symbols *symbols)
{
    const size_t room = symbols->answer_room > 0 ? symbols->answer_room * 2 : 256;
    struct answer *old = symbols->answers;
    const size_t old_room = symbols->answer_room;

    if (symbols->answer_count * 2 < old_room)
        return true;
    symbols->answers = mem_zalloc_array(room, sizeof(*old));
    if (!symbols->answers) {
        symbols->answers = old;
        return false;
    }
    symbols->answer_room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].module)
            *slot_of(symbols, old[i].module, old[i].address) = old[i];
    mem_free(old);
    return true;
}

bool symbols_variable(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                      struct symbol *out)
{
    struct variable variable;

    *out = (struct symbol){.file = NULL};
    if (!module->elf || !variables_find(module->elf, address, &variable))
        return false;
    out->linkage = variable.name;
    out->function = symbols_demangle(symbols, variable.name);
    out->file = variable.file;
    out->line = variable.line;
    return true;
}

size_t symbols_find(struct symbols *symbols, struct symbols_module *module, uint64_t address,
                    const struct symbol **out)
{
    struct answer *answer;

    *out = NULL;
    if (!module->elf || !make_room(symbols))
        return 0;
    answer = slot_of(symbols, module, address);
    if (!answer->module) {
        answer->count = look_up(symbols, module, address, &answer->list);
        answer->module = module;
        answer->address = address;
        symbols->answer_count++;
    }
    *out = answer->list;
    return answer->count;
}
