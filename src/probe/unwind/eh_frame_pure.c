/* eh_frame_pure.c - find the entry (FDE) of an address, read what it shares with others (CIE), and
 * run both their programs up to the address. See the DWARF standard, section 6.4, and the Linux
 * Standard Base, "Exception Frames". */
#include "probe/unwind/eh_frame_pure.h"

#include "probe/unwind/eh_program_pure.h"

#define ENTRY_MAX 65536 /* bytes; a longer program would take too long inside a malloc call */

/* ---- the search table ---- */

struct table_entry {
    int32_t location, fde; /* counted from the header */
};

static uintptr_t from_header(uintptr_t header, int32_t offset)
{
    return header + (uintptr_t)(intptr_t)offset;
}

static bool entry_at(const struct eh_memory *memory, uintptr_t table, uint64_t index,
                     struct table_entry *entry)
{
    return memory->copy(entry, table + index * sizeof(*entry), sizeof(*entry));
}

/* Where the sorted table begins, and how many entries it has; 0: there is none we can read. */
static uint64_t open_table(const struct eh_memory *memory, uintptr_t header, uintptr_t *table)
{
    struct eh_cursor cursor;
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    uint64_t count;

    eh_cursor_init(&cursor, memory, header, memory->high);
    version = (uint8_t)eh_cursor_number(&cursor, 1);
    frame_encoding = (uint8_t)eh_cursor_number(&cursor, 1);
    count_encoding = (uint8_t)eh_cursor_number(&cursor, 1);
    table_encoding = (uint8_t)eh_cursor_number(&cursor, 1);
    if (version != 1 || count_encoding == EH_OMITTED || table_encoding != (EH_FROM_DATA | 0x0b))
        return 0;
    if (frame_encoding != EH_OMITTED)
        (void)eh_cursor_format(&cursor, frame_encoding);
    count = eh_cursor_pointer(&cursor, count_encoding, header);
    if (cursor.failed || count > (cursor.end - cursor.at) / sizeof(struct table_entry))
        return 0;
    *table = cursor.at;
    return count;
}

uintptr_t eh_frame_search(const struct eh_memory *memory, uintptr_t header, uintptr_t pc)
{
    uintptr_t table = 0;
    uint64_t low = 0, high = open_table(memory, header, &table);
    struct table_entry entry;

    while (low < high) { /* the first entry after pc is in low..high */
        const uint64_t middle = low + (high - low) / 2;

        if (!entry_at(memory, table, middle, &entry))
            return 0;
        if (from_header(header, entry.location) <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !entry_at(memory, table, low - 1, &entry))
        return 0;
    return from_header(header, entry.fde);
}

/* ---- what entries share ---- */

static void read_augmentation(struct eh_cursor *cursor, const uint8_t *letters,
                              struct eh_common *common)
{
    for (unsigned i = 1; letters[i]; i++) {
        uint8_t encoding;

        switch (letters[i]) {
        case 'R':
            common->encoding = (uint8_t)eh_cursor_number(cursor, 1);
            break;
        case 'P':
            encoding = (uint8_t)eh_cursor_number(cursor, 1);
            (void)eh_cursor_format(cursor, encoding);
            break;
        case 'L':
            (void)eh_cursor_number(cursor, 1);
            break;
        case 'S':
            common->signal = true;
            break;
        case 'B':
            break;
        default: /* unknown, but of stated size: what follows is stepped over */
            return;
        }
    }
}

static bool read_letters(struct eh_cursor *cursor, uint8_t *letters, unsigned max)
{
    for (unsigned i = 0; i < max; i++) {
        letters[i] = (uint8_t)eh_cursor_number(cursor, 1);
        if (letters[i] == 0)
            return !cursor->failed && (i == 0 || letters[0] == 'z');
    }
    return false;
}

/* Leaves the cursor at the first instruction. */
static bool read_common(struct eh_cursor *cursor, struct eh_common *common)
{
    uint8_t version, letters[12];
    uint64_t ra, size;
    struct eh_cursor inside;

    *common = (struct eh_common){0};
    if (!eh_cursor_enter(cursor) || eh_cursor_number(cursor, 4) != 0)
        return false;
    version = (uint8_t)eh_cursor_number(cursor, 1);
    if ((version != 1 && version != 3) || !read_letters(cursor, letters, sizeof(letters)))
        return false;
    common->code_factor = eh_cursor_uleb(cursor);
    common->data_factor = eh_cursor_sleb(cursor);
    ra = version == 1 ? eh_cursor_number(cursor, 1) : eh_cursor_uleb(cursor);
    common->sized = letters[0] == 'z';
    if (common->sized) {
        size = eh_cursor_uleb(cursor);
        inside = *cursor;
        read_augmentation(&inside, letters, common);
        eh_cursor_skip(cursor, size);
        cursor->failed |= inside.failed;
    }
    return !cursor->failed && ra == EH_REGISTER_RA;
}

/* ---- the entry ---- */

static enum eh_found judge(const struct eh_rules *rules, bool signal, struct eh_row *row)
{
    if (signal)
        return EH_SIGNAL;
    if (rules->ra == EH_RA_UNDEFINED)
        return EH_OUTERMOST;
    if (rules->ra != EH_RA_AT_CFA || rules->ra_offset != -8 || rules->row.cfa == EH_CFA_UNKNOWN)
        return EH_UNUSABLE;
    *row = rules->row;
    return EH_ROW;
}

/* Runs the common program, then the entry's own, whose cursor stands after its CIE pointer. */
static enum eh_found run_both(struct eh_machine *machine, struct eh_cursor *entry,
                              struct eh_common *common, struct eh_row *row)
{
    uintptr_t begin, size;

    if (!read_common(&machine->cursor, common))
        return EH_UNUSABLE;
    begin = eh_cursor_pointer(entry, common->encoding, 0);
    size = eh_cursor_format(entry, common->encoding & 0x0f);
    if (common->sized)
        eh_cursor_skip(entry, eh_cursor_uleb(entry));
    if (entry->failed)
        return EH_UNUSABLE;
    if (machine->pc < begin || machine->pc - begin >= size)
        return EH_NONE;
    machine->common = common;
    machine->location = begin;
    if (!eh_program_run(machine))
        return EH_UNUSABLE;
    machine->initial = machine->now;
    machine->location = begin;
    machine->cursor = *entry;
    return eh_program_run(machine) ? judge(&machine->now, common->signal, row) : EH_UNUSABLE;
}

enum eh_found eh_frame_run(const struct eh_memory *memory, uintptr_t fde, uintptr_t pc,
                           struct eh_row *row)
{
    struct eh_machine machine = {.pc = pc, .now = {.ra = EH_RA_UNKNOWN}};
    struct eh_common common;
    struct eh_cursor entry;
    uintptr_t here;
    uint64_t back;

    eh_cursor_init(&entry, memory, fde, memory->high);
    if (!eh_cursor_enter(&entry) || entry.end - entry.at > ENTRY_MAX)
        return EH_UNUSABLE;
    here = entry.at;
    back = eh_cursor_number(&entry, 4);
    if (entry.failed || back == 0 || back > here)
        return EH_UNUSABLE;
    eh_cursor_init(&machine.cursor, memory, here - back, memory->high);
    return run_both(&machine, &entry, &common, row);
}

enum eh_found eh_frame_find(const struct eh_memory *memory, uintptr_t header, uintptr_t pc,
                            struct eh_row *row)
{
    const uintptr_t fde = eh_frame_search(memory, header, pc);

    return fde ? eh_frame_run(memory, fde, pc, row) : EH_NONE;
}
