/* variables.c - see variables.h.
 *
 * The symbol table has every global and static variable with its size; the debug information adds where
 * it was declared. Static variables inside functions are found too.
 */
#include "doctor/source/variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stddef.h>

#define NESTING 6 /* depth of namespaces, functions and blocks around a static variable */

/* The address of a variable, if it is the same for the whole run. */
static bool fixed_address(Dwarf_Die *die, Dwarf_Addr *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 ||
        operations[0].atom != DW_OP_addr)
        return false;
    *address = operations[0].number;
    return true;
}

static bool has_children_worth(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static bool find_below(Dwarf_Die *parent, Dwarf_Addr address, unsigned depth, Dwarf_Die *found)
{
    Dwarf_Die die;
    Dwarf_Addr at;

    if (depth == 0 || dwarf_child(parent, &die) != 0)
        return false;
    do {
        const int tag = dwarf_tag(&die);

        if (tag == DW_TAG_variable && fixed_address(&die, &at) && at == address) {
            *found = die;
            return true;
        }
        if (has_children_worth(tag) && find_below(&die, address, depth - 1, found))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

static void add_declaration(Dwfl_Module *module, Dwarf_Addr address, struct variable *out)
{
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    Dwarf_Off offset = 0, next;
    size_t header;

    while (dwarf && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit, found, origin;
        Dwarf_Attribute attribute;
        int line = 0;

        if (dwarf_offdie(dwarf, offset + header, &unit) &&
            find_below(&unit, address - bias, NESTING, &found)) {
            /* A definition may point back to the declaration, which has the line. */
            if (dwarf_attr_integrate(&found, DW_AT_specification, &attribute) &&
                dwarf_formref_die(&attribute, &origin) && !dwarf_hasattr(&found, DW_AT_decl_line))
                found = origin;
            out->file = dwarf_decl_file(&found);
            if (dwarf_decl_line(&found, &line) == 0 && line > 0)
                out->line = (unsigned)line;
            return;
        }
        offset = next;
    }
}

bool variables_find(Dwfl_Module *module, uint64_t address, struct variable *out)
{
    GElf_Sym symbol;
    GElf_Off offset;
    const char *name;

    *out = (struct variable){NULL, NULL, 0};
    name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
        return false;
    out->name = name;
    add_declaration(module, address - offset, out);
    return true;
}
