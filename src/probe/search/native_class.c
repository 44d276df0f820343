/* native_class.c - see native_class.h.
 *
 * The first word of an object with virtual functions points to its class's table of them. Before that
 * table lie an offset, zero for the outermost class, and the address of the type information: a
 * pointer, the address of the encoded name, and the description of the base classes.
 */
#include "probe/search/native_class.h"

#include <string.h>

#include "probe/search/native_name_pure.h"

#define NAME_LONGEST 2048
#define BASES_MOST 8
#define CONTROL_HEAD 16 /* before an object that std::make_shared has made */

static uintptr_t word(uintptr_t at)
{
    return *(const uintptr_t *)at;
}

static const char autograd_node[] = "N5torch8autograd4NodeE";

static bool may_read(const struct pages *pages, uintptr_t at, uintptr_t size)
{
    return at % 8 == 0 && pages_readable(pages, at, size);
}

/* The encoded name, if that is what lies there. */
static const char *name_at(const struct pages *pages, uintptr_t information)
{
    const char *name;

    if (!may_read(pages, information, 16) || !may_read(pages, word(information), 8))
        return NULL;
    name = (const char *)word(information + 8);
    for (unsigned i = 0; i < NAME_LONGEST; i++) {
        if ((i == 0 || ((uintptr_t)(name + i) & (PAGE_BYTES - 1)) == 0) &&
            !(pages_flags(pages, (uintptr_t)(name + i)) & PAGE_READABLE))
            return NULL;
        if (name[i] == '\0')
            return i > 1 ? name : NULL;
        if (name[i] < 33 || name[i] > 126)
            return NULL;
    }
    return NULL;
}

static uintptr_t information_of(const struct nodes *nodes, const struct pages *pages, uintptr_t object)
{
    const uintptr_t table = word(object);

    if (!may_read(pages, table - 16, 16) || nodes_find(nodes, pages, table) ||
        word(table - 16) != 0)
        return 0;
    return word(table - 8);
}

/* One base class: the word after the name. Several: flags and a count, then the first. */
static uintptr_t base_of(const struct pages *pages, uintptr_t information)
{
    uintptr_t base;

    if (!may_read(pages, information, 32))
        return 0;
    base = word(information + 16);
    if (!name_at(pages, base))
        base = word(information + 24);
    return name_at(pages, base) ? base : 0;
}

static bool is_autograd(const struct pages *pages, uintptr_t information)
{
    for (unsigned i = 0; information && i < BASES_MOST; i++) {
        const char *name = name_at(pages, information);

        if (name && strcmp(name, autograd_node) == 0)
            return true;
        information = base_of(pages, information);
    }
    return false;
}

/* In the encoded name each part of a namespace is written with its length before it. */
static bool is_of_framework(const char *encoded)
{
    static const char *const spaces[] = {"10tensorflow", "3tsl", "3xla", "3jax"};

    for (unsigned i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
        if (strstr(encoded, spaces[i]))
            return true;
    return false;
}

static bool is_any(const char *name, const char *const *parts, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static void set_role(struct native_class *out, const char *encoded)
{
    static const char *const hubs[] = {"Context", "Device", "Client", "FunctionLibrary",
                                       "FunctionRecord", "ResourceMgr", "ThreadPool"};
    static const char *const idle[] = {"Allocator", "WeakRef", "StackTrace"};
    const bool known = is_of_framework(encoded);

    out->holds_nothing = known && is_any(out->name, idle, sizeof(idle) / sizeof(idle[0]));
    out->hub = known && is_any(out->name, hubs, sizeof(hubs) / sizeof(hubs[0]));
}

bool native_class_of(const struct nodes *nodes, const struct pages *pages, uintptr_t start,
                     uintptr_t end, struct native_class *out)
{
    const bool present = pages_flags(pages, start) & PAGE_PRESENT; /* never of shared memory */
    uintptr_t information = present && end - start >= 16 ? information_of(nodes, pages, start) : 0;
    const char *name = information ? name_at(pages, information) : NULL;

    /* What counts the owners of a shared object lies before it, and is of a class of its own. */
    if (name && strstr(name, "_Sp_counted") && end - start >= 2 * CONTROL_HEAD) {
        const uintptr_t inner = information_of(nodes, pages, start + CONTROL_HEAD);

        if (inner && name_at(pages, inner)) {
            information = inner;
            name = name_at(pages, inner);
        }
    }
    if (!name || !native_name(name, out->name, sizeof(out->name)))
        return false;
    out->autograd = is_autograd(pages, information);
    set_role(out, name);
    return true;
}
