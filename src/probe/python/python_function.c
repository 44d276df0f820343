/* python_function.c - see python_function.h. */
#include "probe/python/python_function.h"

#include <stddef.h>
#include <stdint.h>

#include "probe/core/symbol.h"

/* The names one after the other: a table of pointers would have to be relocated in every
 * process. */
#define SYMBOL(field, name)
struct names {
#define FUNCTION(name) char of_##name[sizeof(#name)];
#include "probe/python/python_symbols.def"
#undef FUNCTION
};
static const struct names names = {
#define FUNCTION(name) .of_##name = #name,
#include "probe/python/python_symbols.def"
#undef FUNCTION
};
static const uint16_t places[] = {
#define FUNCTION(name) [PYTHON_##name] = offsetof(struct names, of_##name),
#include "probe/python/python_symbols.def"
#undef FUNCTION
};
#undef SYMBOL

bool python_function(enum python_function which, void *out)
{
    return symbol_find(RTLD_DEFAULT, (const char *)&names + places[which], out);
}
