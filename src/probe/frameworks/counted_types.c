/* counted_types.c - see counted_types.h. */
#include "probe/frameworks/counted_types.h"

#include <stddef.h>
#include <string.h>

#define TYPES_MAX 2
#define NAME_BYTES 64
#define DEALLOC_AT 48 /* of struct _typeobject: the same in every CPython from 3.6 to 3.14 */
#define ALLOC_AT 304

typedef void *alloc_fn(void *type, ptrdiff_t items);
typedef void dealloc_fn(void *object);

struct counted {
    char name[NAME_BYTES];
    void *type;
    alloc_fn *alloc;
    dealloc_fn *dealloc;
    uint64_t made, gone; /* under the interpreter's lock */
};

static struct counted types[TYPES_MAX];
static unsigned count; /* atomic: released by counted_type_add, acquired by counted_types */

#define PAIR(index)                                        \
    static void *alloc_##index(void *type, ptrdiff_t items) \
    {                                                      \
        types[index].made++;                               \
        return types[index].alloc(type, items);            \
    }                                                      \
    static void dealloc_##index(void *object)              \
    {                                                      \
        types[index].gone++;                               \
        types[index].dealloc(object);                      \
    }
PAIR(0)
PAIR(1)

static alloc_fn *const allocs[TYPES_MAX] = {alloc_0, alloc_1};
static dealloc_fn *const deallocs[TYPES_MAX] = {dealloc_0, dealloc_1};

/* ISO C keeps pointers to functions apart; the slots of a type are such pointers. */
static void exchange(void *slot, void *old, const void *fresh)
{
    memcpy(old, slot, sizeof(void *));
    memcpy(slot, fresh, sizeof(void *));
}

void counted_type_add(void *type, const char *name)
{
    struct counted *entry = &types[count];

    if (!type || !name || count == TYPES_MAX)
        return;
    for (unsigned i = 0; i < count; i++)
        if (types[i].type == type)
            return;
    *entry = (struct counted){.type = type};
    strncpy(entry->name, name, NAME_BYTES - 1);
    memcpy(&entry->alloc, (char *)type + ALLOC_AT, sizeof(entry->alloc));
    memcpy(&entry->dealloc, (char *)type + DEALLOC_AT, sizeof(entry->dealloc));
    if (!entry->alloc || !entry->dealloc)
        return;
    exchange((char *)type + ALLOC_AT, &entry->alloc, &allocs[count]);
    exchange((char *)type + DEALLOC_AT, &entry->dealloc, &deallocs[count]);
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

unsigned counted_types(void)
{
    return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

bool counted_type(unsigned index, const char **name, uint64_t *alive)
{
    if (index >= counted_types())
        return false;
    *name = types[index].name;
    *alive = types[index].made > types[index].gone ? types[index].made - types[index].gone : 0;
    return true;
}
