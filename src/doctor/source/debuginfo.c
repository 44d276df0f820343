/* debuginfo.c - see debuginfo.h. */
#include "doctor/source/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/sorted.h"
#include "doctor/source/debug_files.h"

#define NEST_MAX   64     /* depth of namespaces, classes and blocks in each other */
#define RANGES_MAX 100000 /* address ranges of one entry; more are damage */

/* A range of addresses, and the unit or function whose code it is. */
struct span {
    Dwarf_Addr low, high; /* from `low` up to, not including, `high` */
    Dwarf_Die die;        /* the entry in the debug information */
};

struct spans {
    struct span *list;  /* owned; spans_sort sorts it by `low` */
    size_t count, room; /* entries in use and allocated */
};

struct unit {
    struct unit *next;      /* owned */
    void *key;              /* where the unit's entry is in memory: identifies the unit */
    struct spans functions; /* the code of each function of the unit */
};

struct debuginfo {
    Dwfl_Module *module;  /* borrowed */
    struct arena *arena;  /* borrowed; names are stored in it */
    struct spans units;   /* the code of each unit; filled when libdw does not find a unit */
    bool listed;          /* `units` is filled */
    struct unit *indexed; /* owned; the units whose functions are indexed so far */
};

struct debuginfo *debuginfo_new(Dwfl_Module *module, struct arena *arena)
{
    struct debuginfo *info = mem_zalloc(sizeof(*info));

    if (info) {
        info->module = module;
        info->arena = arena;
    }
    return info;
}

void debuginfo_free(struct debuginfo *info)
{
    struct unit *unit = info ? info->indexed : NULL;

    while (unit) {
        struct unit *next = unit->next;

        mem_free(unit->functions.list);
        mem_free(unit);
        unit = next;
    }
    if (info)
        mem_free(info->units.list);
    mem_free(info);
}

/* ---- spans ---- */

static void spans_add(struct spans *spans, Dwarf_Addr low, Dwarf_Addr high, const Dwarf_Die *die)
{
    if (spans->count == spans->room) {
        const size_t room = spans->room > 0 ? spans->room * 2 : 64;
        struct span *list = mem_resize(spans->list, room, sizeof(*list));

        if (!list)
            return;
        spans->list = list;
        spans->room = room;
    }
    spans->list[spans->count++] = (struct span){low, high, *die};
}

/* A linker puts the functions that it drops at address 0 or 1. */
static void spans_add_all(struct spans *spans, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;

    for (unsigned i = 0; i < RANGES_MAX; i++) {
        at = dwarf_ranges(die, at, &base, &low, &high);
        if (at <= 0)
            return;
        if (low > 1 && high > low)
            spans_add(spans, low, high, die);
    }
}

static int by_low(const void *left, const void *right)
{
    const struct span *a = left, *b = right;

    return a->low < b->low ? -1 : a->low > b->low;
}

static void spans_sort(struct spans *spans)
{
    if (spans->count > 1)
        qsort(spans->list, spans->count, sizeof(*spans->list), by_low);
}

static bool begins_by(const void *span, const void *address)
{
    return ((const struct span *)span)->low <= *(const Dwarf_Addr *)address;
}

static struct span *spans_find(const struct spans *spans, Dwarf_Addr address)
{
    const size_t count =
        sorted_before(spans->list, spans->count, sizeof(*spans->list), begins_by, &address);

    return count > 0 && address < spans->list[count - 1].high ? &spans->list[count - 1] : NULL;
}

/* ---- units ---- */

static void list_units(struct debuginfo *info)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;

    info->listed = true;
    while ((unit = dwfl_module_nextcu(info->module, unit, &bias)))
        spans_add_all(&info->units, unit);
    spans_sort(&info->units);
}

/* libdw relies on .debug_aranges, which clang does not write; then the units' own ranges are searched. */
static bool find_unit(struct debuginfo *info, Dwarf_Addr address, Dwarf_Die *out)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(info->module, address, &bias);
    struct span *span;

    if (unit) {
        *out = *unit;
        return true;
    }
    if (!info->listed)
        list_units(info);
    span = spans_find(&info->units, address);
    if (span)
        *out = span->die;
    return span != NULL;
}

static bool holds_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_module;
}

static void collect_functions(struct spans *spans, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die child;

    if (depth > NEST_MAX || dwarf_child(parent, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);

        if (tag == DW_TAG_subprogram)
            spans_add_all(spans, &child);
        else if (holds_functions(tag))
            collect_functions(spans, &child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* With -gsplit-dwarf the functions are in a file of their own, which libdw opens. */
static Dwarf_Die functions_of(const struct debuginfo *info, Dwarf_Die *unit)
{
    Dwarf_Die split;

    if (debug_files_split_is_safe(info->module, unit) &&
        dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr)
        return split;
    return *unit;
}

static const struct spans *functions_in(struct debuginfo *info, Dwarf_Die *die)
{
    struct unit *unit = info->indexed;
    Dwarf_Die root;

    while (unit && unit->key != die->addr)
        unit = unit->next;
    if (unit)
        return &unit->functions;
    unit = mem_zalloc(sizeof(*unit));
    if (!unit)
        return NULL;
    unit->key = die->addr;
    root = functions_of(info, die);
    collect_functions(&unit->functions, &root, 0);
    spans_sort(&unit->functions);
    unit->next = info->indexed;
    info->indexed = unit;
    return &unit->functions;
}

/* ---- one address ---- */

/* The function and those inlined into each other at `address`, outermost first. */
static size_t chain_at(const Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die *chain)
{
    Dwarf_Die at = *function, child;
    size_t count = 0;

    chain[count++] = at;
    for (unsigned depth = 0; depth < NEST_MAX && dwarf_child(&at, &child) == 0; depth++) {
        bool found = false;

        do {
            const int tag = dwarf_tag(&child);

            found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
                    dwarf_haspc(&child, address) > 0;
        } while (!found && dwarf_siblingof(&child, &child) == 0);
        if (!found)
            break;
        at = child;
        if (dwarf_tag(&at) == DW_TAG_inlined_subroutine && count < SYMBOLS_INLINE_MAX)
            chain[count++] = at;
    }
    return count;
}

static const char *linkage_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return NULL;
}

/* Without "//" and "/./", so that one file has one name. */
static void tidy(char *path)
{
    char *to = path;

    for (const char *from = path; *from; from++) {
        while (from[0] == '/' && (from[1] == '/' || (from[1] == '.' && from[2] == '/')))
            from += from[1] == '/' ? 1 : 2;
        *to++ = *from;
    }
    *to = 0;
}

static const char *path_of(struct debuginfo *info, Dwarf_Die *unit, const char *name)
{
    Dwarf_Attribute attribute;
    const char *home = NULL;
    char *path;

    if (!name)
        return NULL;
    if (name[0] != '/' && dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute))
        home = dwarf_formstring(&attribute);
    path = home ? arena_print(info->arena, "%s/%s", home, name)
                : arena_text(info->arena, name, strlen(name));
    if (path)
        tidy(path);
    return path;
}

static void name_line(struct debuginfo *info, Dwarf_Die *unit, Dwarf_Addr address,
                      struct symbol *out)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    int number = 0;

    if (!line)
        return;
    out->file = path_of(info, unit, dwarf_linesrc(line, NULL, NULL));
    if (dwarf_lineno(line, &number) == 0 && number > 0)
        out->line = (unsigned)number;
}

/* Where `inlined` was called: the line of the function it was inlined into. */
static void name_call(struct debuginfo *info, Dwarf_Die *unit, Dwarf_Die *inlined,
                      struct symbol *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_attr(inlined, DW_AT_call_line, &attribute) &&
        dwarf_formudata(&attribute, &number) == 0)
        out->line = (unsigned)number;
    if (dwarf_attr(inlined, DW_AT_call_file, &attribute) &&
        dwarf_formudata(&attribute, &number) == 0 && dwarf_getsrcfiles(unit, &files, &count) == 0)
        out->file = path_of(info, unit, dwarf_filesrc(files, number, NULL, NULL));
}

size_t debuginfo_find(struct debuginfo *info, uint64_t address, struct symbol *out)
{
    Dwarf_Die unit, chain[SYMBOLS_INLINE_MAX];
    const struct spans *functions;
    const struct span *span;
    Dwarf_Addr bias = 0;
    size_t count;

    if (!dwfl_module_getdwarf(info->module, &bias) || !find_unit(info, address, &unit))
        return 0;
    address -= bias;
    functions = functions_in(info, &unit);
    span = functions ? spans_find(functions, address) : NULL;
    count = span ? chain_at(&span->die, address, chain) : 0;
    out[0] = (struct symbol){0};
    name_line(info, &unit, address, &out[0]);
    for (size_t i = 0; i < count; i++) {
        Dwarf_Die *die = &chain[count - 1 - i];

        if (i > 0) {
            out[i] = (struct symbol){0};
            name_call(info, &unit, &chain[count - i], &out[i]);
        }
        out[i].inlined = i + 1 < count;
        out[i].linkage = linkage_of(die);
        out[i].function = out[i].linkage ? NULL : dwarf_diename(die);
    }
    return count > 0 ? count : out[0].file != NULL;
}
