/* python_code.c - see python_code.h.
 *
 * A private table from the address to the latest function seen there. One thread at a time writes
 * (`changing`); the others read a slot's id, then the rest of the slot, then the id again. While a
 * slot changes its owner, its id is 0.
 */
#include "probe/python/python_code.h"

#include "base/python_path.h"
#include "ledger/table.h"
#include "probe/core/brief_lock.h"
#include "probe/core/own.h"

#define SLOTS 65536u
#define WINDOW 16u /* slots in which an address may lie */
#define TABLE_MAX (256u * 1024u) /* bytes of a line table; without it a function keeps its first line */
#define TEXT_MAX 4000u
#define LOCK_TRIES 4096

struct slot {
    uintptr_t code; /* atomic: 0 while free */
    uint64_t mark;  /* atomic */
    uint32_t id;    /* atomic: 0 while being written */
    uint32_t spare;
};

static struct slot *slots;   /* private pages, wiped by a fork; NULL: none */
static uint8_t changing;     /* atomic: one writer at a time */
static char words[TEXT_MAX]; /* of the writer */

void python_code_meet(void)
{
    if (!slots)
        slots = own_map(SLOTS * sizeof(*slots));
}

void python_code_forked(void)
{
    __atomic_clear(&changing, __ATOMIC_RELEASE);
}

/* ---- texts ---- */

/* The bytes of one character; 0: no room. */
static size_t encode(uint32_t point, char *to, size_t room)
{
    const unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};

    if (point >= 0xdc80 && point <= 0xdcff && room > 0) {
        *to = (char)(point & 0xff);
        return 1;
    }
    if (more >= room)
        return 0;
    for (unsigned i = more; i > 0; i--, point >>= 6)
        to[i] = (char)(0x80 | (point & 0x3f));
    to[0] = (char)(lead[more] | point);
    return more + 1;
}

static uint32_t point_at(uintptr_t data, unsigned width, size_t index)
{
    uint32_t point = 0;

    memcpy(&point, (const void *)(data + index * width), width);
    return point;
}

size_t python_text(const struct python *python, uintptr_t text, char *to, size_t size)
{
    uint32_t state;
    uintptr_t data;
    unsigned width;
    size_t length, used = 0;

    if (!text || python_word(text + PYTHON_TYPE) != python->symbols.text_type)
        return 0;
    memcpy(&state, (const void *)(text + PYTHON_TEXT_STATE), sizeof(state));
    width = state >> 2 & 7;
    if (!(state & 1u << 5) || (width != 1 && width != 2 && width != 4)) /* not in one piece */
        return 0;
    data = text + (state & 1u << 6 ? python->offsets.text_ascii : python->offsets.text_other);
    length = python_word(text + PYTHON_SIZE);
    for (size_t i = 0; i < length; i++) {
        const size_t part = encode(point_at(data, width, i), to + used, size - used);

        if (part == 0)
            break;
        used += part;
    }
    return used;
}

/* ---- records ---- */

static uint32_t copy_text(struct ledger *ledger, const struct python *python, uintptr_t text)
{
    const size_t size = python_text(python, text, words, sizeof(words));

    return size ? ledger_string(ledger, words, size) : 0;
}

static void copy_table(struct ledger *ledger, const struct python *python, uintptr_t table,
                       struct code_record *record)
{
    uint64_t size;

    if (!table || python_word(table + PYTHON_TYPE) != python->symbols.bytes_type)
        return;
    size = python_word(table + PYTHON_SIZE);
    if (size == 0 || size > TABLE_MAX)
        return;
    record->table =
        ledger_bytes(ledger, SECTION_line_tables, (const void *)(table + PYTHON_BYTES), size);
    record->table_size = record->table ? (uint32_t)size : 0;
}

#define UNITS_KNOWN (32 * 1024) /* as many as the ledger has room for */

static uint8_t importing[UNITS_KNOWN / 8]; /* atomic: a bit for each unit */

bool python_code_imports(uint32_t unit)
{
    return unit < UNITS_KNOWN && __atomic_load_n(&importing[unit / 8], __ATOMIC_RELAXED) >> unit % 8 & 1;
}

static void mark_importing(uint32_t unit)
{
    if (unit > 0 && unit < UNITS_KNOWN)
        (void)__atomic_or_fetch(&importing[unit / 8], (uint8_t)(1u << unit % 8), __ATOMIC_RELAXED);
}

static uint32_t record_code(struct ledger *ledger, const struct python *python, uintptr_t code)
{
    const struct python_offsets *offsets = &python->offsets;
    struct code_record record = {.version = python->version};
    const uintptr_t file = python_word(code + offsets->code_file);
    const size_t size = python_text(python, file, words, sizeof(words) - 1);
    bool imports;
    uint32_t unit;

    words[size] = 0;
    imports = python_path_is_importer(words);
    record.file = size ? ledger_string(ledger, words, size) : 0;
    memcpy(&record.first_line, (const void *)(code + offsets->code_line),
           sizeof(record.first_line));
    record.name = copy_text(ledger, python, python_word(code + offsets->code_name));
    copy_table(ledger, python, python_word(code + offsets->code_table), &record);
    unit = ledger_append(ledger, SECTION_code, &record);
    if (imports)
        mark_importing(unit);
    return unit;
}

/* ---- the table ---- */

static struct slot *window_of(uintptr_t code)
{
    return &slots[table_hash(code) % (SLOTS - WINDOW)];
}

static uint32_t find(const struct python_frame *frame)
{
    const struct slot *window = window_of(frame->code);

    for (unsigned i = 0; i < WINDOW; i++) {
        const uint32_t id = __atomic_load_n(&window[i].id, __ATOMIC_ACQUIRE);
        const uintptr_t code = __atomic_load_n(&window[i].code, __ATOMIC_ACQUIRE);

        if (code == frame->code)
            return __atomic_load_n(&window[i].mark, __ATOMIC_ACQUIRE) == frame->mark &&
                           __atomic_load_n(&window[i].id, __ATOMIC_RELAXED) == id
                       ? id
                       : 0;
        if (code == 0)
            break;
    }
    return 0;
}

/* The slot of this address, or a free one, or any: an old one is found again as a new function. */
static struct slot *slot_for(uintptr_t code)
{
    struct slot *window = window_of(code);

    for (unsigned i = 0; i < WINDOW; i++)
        if (window[i].code == code || window[i].code == 0)
            return &window[i];
    return &window[code >> 4 & (WINDOW - 1)];
}

/* Holding the lock. */
static uint32_t enter(struct ledger *ledger, const struct python *python,
                      const struct python_frame *frame)
{
    const uint32_t id = record_code(ledger, python, frame->code);
    struct slot *slot = slot_for(frame->code);

    if (!id)
        return 0;
    __atomic_store_n(&slot->id, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->mark, frame->mark, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->code, frame->code, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->id, id, __ATOMIC_RELEASE);
    return id;
}

uint32_t python_code_unit(struct ledger *ledger, const struct python *python,
                          const struct python_frame *frame)
{
    uint32_t id = slots ? find(frame) : 0;

    if (!id && slots && brief_lock(&changing, LOCK_TRIES)) {
        id = find(frame);
        if (!id)
            id = enter(ledger, python, frame);
        __atomic_clear(&changing, __ATOMIC_RELEASE);
    }
    if (!id)
        ledger_lose(ledger, LOST_code_full, 1);
    return id;
}
