/* script_unit.c - see script_unit.h. */
#include "probe/js/script_unit.h"

#include <string.h>

#include "probe/core/own.h"
#include "probe/js/js_owner.h"

#define SLOTS  16384 /* functions remembered */
#define WINDOW 16    /* each is in one of this many places */

struct known {
    uint64_t check; /* hash ^ id: a torn pair does not match */
    uint64_t id;
};

static struct known *functions; /* private pages; NULL: nothing is remembered */

/* Made with the first function: most programs run no JavaScript. Empty in a child, whose ids
 * start again at 1. */
static void set_up(void)
{
    static uint8_t begun; /* atomic */

    if (!__atomic_test_and_set(&begun, __ATOMIC_ACQUIRE))
        __atomic_store_n(&functions, own_map(SLOTS * sizeof(*functions)), __ATOMIC_RELEASE);
}

static struct known *window_of(uint64_t hash)
{
    struct known *all = __atomic_load_n(&functions, __ATOMIC_ACQUIRE);

    return all ? &all[hash % (SLOTS - WINDOW)] : NULL;
}

uint32_t script_unit_find(uint64_t hash)
{
    const struct known *window = window_of(hash);

    for (unsigned i = 0; window && i < WINDOW; i++) {
        const uint64_t id = __atomic_load_n(&window[i].id, __ATOMIC_RELAXED);

        if (id && __atomic_load_n(&window[i].check, __ATOMIC_RELAXED) == (hash ^ id))
            return (uint32_t)id;
    }
    return 0;
}

/* A full window forgets one: that function is recorded once more when it is seen again. */
static void remember(uint64_t hash, uint32_t id)
{
    struct known *window;
    unsigned at = 0;

    set_up();
    window = window_of(hash);
    if (!window)
        return;
    while (at < WINDOW && __atomic_load_n(&window[at].id, __ATOMIC_RELAXED) != 0)
        at++;
    at = at < WINDOW ? at : (unsigned)(hash >> 60) % WINDOW;
    __atomic_store_n(&window[at].check, hash ^ id, __ATOMIC_RELAXED);
    __atomic_store_n(&window[at].id, id, __ATOMIC_RELAXED);
}

static uint32_t text_id(struct ledger *ledger, const char *text, size_t length)
{
    return length ? ledger_string(ledger, text, length) : 0;
}

uint32_t script_unit_add(struct ledger *ledger, uint64_t hash, int script, const char *name,
                         const char *file)
{
    const struct script_record record = {.script = (uint32_t)script,
                                         .name = text_id(ledger, name, strlen(name)),
                                         .file = text_id(ledger, file, strlen(file))};
    uint32_t id = ledger_append(ledger, SECTION_scripts, &record);

    if (!id || id >> SCRIPT_UNIT_SHIFT) {
        ledger_lose(ledger, LOST_scripts_full, 1);
        return 0;
    }
    id |= js_whose(file) << SCRIPT_UNIT_SHIFT;
    remember(hash, id);
    return id;
}
