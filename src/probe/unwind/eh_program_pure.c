/* eh_program_pure.c - see the header. The numbers of instructions and expression codes are DWARF's. */
#include "probe/unwind/eh_program_pure.h"

#define EXPRESSION_MAX 16

/* ---- expressions ---- */

enum { OP_DEREF = 0x06, OP_BREG_BP = 0x76, OP_BREG_SP = 0x77 };

struct expression {
    uint8_t bytes[EXPRESSION_MAX];
    unsigned size; /* 0: too long for any we know */
};

static struct expression read_expression(struct eh_cursor *cursor)
{
    struct expression expression = {.size = 0};
    const uint64_t size = eh_cursor_uleb(cursor);

    if (size > EXPRESSION_MAX) {
        eh_cursor_skip(cursor, size);
        return expression;
    }
    for (unsigned i = 0; i < size; i++)
        expression.bytes[i] = (uint8_t)eh_cursor_number(cursor, 1);
    expression.size = cursor->failed ? 0 : (unsigned)size;
    return expression;
}

/* A small signed number in LEB128 from byte 1 on: how many bytes it took, 0: none. */
static unsigned expression_offset(const struct expression *expression, int32_t *offset)
{
    uint32_t number = 0;
    unsigned i = 1, bits = 0;

    do {
        if (i >= expression->size || bits > 21)
            return 0;
        number |= (uint32_t)(expression->bytes[i] & 0x7f) << bits;
        bits += 7;
    } while (expression->bytes[i++] & 0x80);
    if (number >> (bits - 1) & 1)
        number |= ~0u << bits;
    *offset = (int32_t)number;
    return i - 1;
}

/* rsp + 8 + ((rip & 15) >= n) * 8, as linkers describe an entry that pushes before it jumps. */
static bool is_linkage_table(const struct expression *expression)
{
    static const uint8_t want[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};

    if (expression->size != sizeof(want))
        return false;
    for (unsigned i = 0; i < sizeof(want); i++)
        if (i != 6 && expression->bytes[i] != want[i])
            return false;
    return expression->bytes[6] >= 0x30 && expression->bytes[6] <= 0x3f;
}

static void cfa_by_expression(struct eh_machine *machine)
{
    const struct expression expression = read_expression(&machine->cursor);
    struct eh_row *row = &machine->now.row;
    const uint8_t first = expression.size ? expression.bytes[0] : 0;
    unsigned used;

    row->cfa = EH_CFA_UNKNOWN;
    if (is_linkage_table(&expression)) {
        row->cfa = EH_CFA_SP;
        row->cfa_offset = (machine->pc & 15) >= expression.bytes[6] - 0x30u ? 16 : 8;
        return;
    }
    if (first != OP_BREG_BP && first != OP_BREG_SP)
        return;
    used = expression_offset(&expression, &row->cfa_offset);
    if (used && expression.size == used + 1)
        row->cfa = first == OP_BREG_BP ? EH_CFA_BP : EH_CFA_SP;
    if (used && first == OP_BREG_BP && expression.size == used + 2 &&
        expression.bytes[used + 1] == OP_DEREF)
        row->cfa = EH_CFA_AT_BP;
}

static void register_by_expression(struct eh_machine *machine)
{
    const uint64_t which = eh_cursor_uleb(&machine->cursor);
    const struct expression expression = read_expression(&machine->cursor);
    struct eh_rules *now = &machine->now;
    unsigned used = 0;

    if (which == EH_REGISTER_RA)
        now->ra = EH_RA_UNKNOWN;
    if (which != EH_REGISTER_BP)
        return;
    if (expression.size && expression.bytes[0] == OP_BREG_BP)
        used = expression_offset(&expression, &now->row.bp_offset);
    now->row.bp = used && expression.size == used + 1 ? EH_BP_AT_BP : EH_BP_LOST;
}

/* ---- the program ---- */

static int32_t small(struct eh_machine *machine, int64_t number, int64_t factor)
{
    int64_t product;

    if (__builtin_mul_overflow(number, factor, &product) || product != (int32_t)product) {
        machine->cursor.failed = true;
        return 0;
    }
    return (int32_t)product;
}

static int32_t unsigned_offset(struct eh_machine *machine, int64_t factor)
{
    return small(machine, (int64_t)eh_cursor_uleb(&machine->cursor), factor);
}

static int32_t signed_offset(struct eh_machine *machine)
{
    return small(machine, eh_cursor_sleb(&machine->cursor), machine->common->data_factor);
}

static void saved_at(struct eh_machine *machine, uint64_t which, int32_t offset)
{
    struct eh_rules *now = &machine->now;

    if (which == EH_REGISTER_BP) {
        now->row.bp = EH_BP_AT_CFA;
        now->row.bp_offset = offset;
    } else if (which == EH_REGISTER_RA) {
        now->ra = EH_RA_AT_CFA;
        now->ra_offset = offset;
    }
}

static void restore(struct eh_machine *machine, uint64_t which)
{
    if (which == EH_REGISTER_BP) {
        machine->now.row.bp = machine->initial.row.bp;
        machine->now.row.bp_offset = machine->initial.row.bp_offset;
    } else if (which == EH_REGISTER_RA) {
        machine->now.ra = machine->initial.ra;
        machine->now.ra_offset = machine->initial.ra_offset;
    }
}

static void cfa_register(struct eh_machine *machine, uint64_t which)
{
    machine->now.row.cfa = which == EH_REGISTER_SP   ? EH_CFA_SP
                           : which == EH_REGISTER_BP ? EH_CFA_BP
                                                  : EH_CFA_UNKNOWN;
}

static void remember(struct eh_machine *machine)
{
    if (machine->depth == EH_REMEMBERED_MAX)
        machine->cursor.failed = true;
    else
        machine->remembered[machine->depth++] = machine->now;
}

static void recall(struct eh_machine *machine)
{
    if (machine->depth == 0)
        machine->cursor.failed = true;
    else
        machine->now = machine->remembered[--machine->depth];
}

static void not_saved(struct eh_machine *machine, enum eh_bp bp, enum eh_ra ra)
{
    const uint64_t which = eh_cursor_uleb(&machine->cursor);

    if (which == EH_REGISTER_BP)
        machine->now.row.bp = bp;
    else if (which == EH_REGISTER_RA)
        machine->now.ra = ra;
}

static void advance(struct eh_machine *machine, uint64_t units)
{
    machine->location += units * machine->common->code_factor;
}

/* Instructions that say where a register other than the CFA is. False: not one of them. */
static bool register_instruction(struct eh_machine *machine, uint8_t code)
{
    struct eh_cursor *cursor = &machine->cursor;
    const int64_t factor = machine->common->data_factor;
    uint64_t which;

    switch (code) {
    case 0x05: /* offset_extended */
        which = eh_cursor_uleb(cursor);
        saved_at(machine, which, unsigned_offset(machine, factor));
        return true;
    case 0x06: /* restore_extended */
        restore(machine, eh_cursor_uleb(cursor));
        return true;
    case 0x07: /* undefined */
        not_saved(machine, EH_BP_LOST, EH_RA_UNDEFINED);
        return true;
    case 0x08: /* same_value */
        not_saved(machine, EH_BP_SAME, EH_RA_UNKNOWN);
        return true;
    case 0x09: /* register */
    case 0x14: /* val_offset */
        not_saved(machine, EH_BP_LOST, EH_RA_UNKNOWN);
        (void)eh_cursor_uleb(cursor);
        return true;
    case 0x15: /* val_offset_sf */
        not_saved(machine, EH_BP_LOST, EH_RA_UNKNOWN);
        (void)eh_cursor_sleb(cursor);
        return true;
    case 0x10: /* expression */
        register_by_expression(machine);
        return true;
    case 0x16: /* val_expression */
        not_saved(machine, EH_BP_LOST, EH_RA_UNKNOWN);
        (void)read_expression(cursor);
        return true;
    case 0x11: /* offset_extended_sf */
        which = eh_cursor_uleb(cursor);
        saved_at(machine, which, signed_offset(machine));
        return true;
    case 0x2f: /* GNU_negative_offset_extended */
        which = eh_cursor_uleb(cursor);
        saved_at(machine, which, unsigned_offset(machine, factor == INT64_MIN ? 0 : -factor));
        return true;
    default:
        return false;
    }
}

/* Instructions that move on, or say where the CFA is. */
static void other_instruction(struct eh_machine *machine, uint8_t code)
{
    struct eh_cursor *cursor = &machine->cursor;
    struct eh_row *row = &machine->now.row;

    switch (code) {
    case 0x00: /* nop */
    case 0x2d: /* GNU_window_save */
        break;
    case 0x01: /* set_loc */
        machine->location = eh_cursor_pointer(cursor, machine->common->encoding, 0);
        break;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        advance(machine, eh_cursor_number(cursor, 1u << (code - 2)));
        break;
    case 0x0a:
        remember(machine);
        break;
    case 0x0b:
        recall(machine);
        break;
    case 0x0c: /* def_cfa */
        cfa_register(machine, eh_cursor_uleb(cursor));
        row->cfa_offset = unsigned_offset(machine, 1);
        break;
    case 0x0d: /* def_cfa_register */
        cfa_register(machine, eh_cursor_uleb(cursor));
        break;
    case 0x0e: /* def_cfa_offset */
        row->cfa_offset = unsigned_offset(machine, 1);
        break;
    case 0x0f: /* def_cfa_expression */
        cfa_by_expression(machine);
        break;
    case 0x12: /* def_cfa_sf */
        cfa_register(machine, eh_cursor_uleb(cursor));
        row->cfa_offset = signed_offset(machine);
        break;
    case 0x13: /* def_cfa_offset_sf */
        row->cfa_offset = signed_offset(machine);
        break;
    case 0x2e: /* GNU_args_size */
        (void)eh_cursor_uleb(cursor);
        break;
    default:
        cursor->failed = true;
    }
}

bool eh_program_run(struct eh_machine *machine)
{
    struct eh_cursor *cursor = &machine->cursor;

    while (!cursor->failed && cursor->at < cursor->end && machine->location <= machine->pc) {
        const uint8_t code = (uint8_t)eh_cursor_number(cursor, 1);
        const uint8_t low = code & 0x3f;

        if (code >> 6 == 1)
            advance(machine, low);
        else if (code >> 6 == 2)
            saved_at(machine, low, unsigned_offset(machine, machine->common->data_factor));
        else if (code >> 6 == 3)
            restore(machine, low);
        else if (!register_instruction(machine, code))
            other_instruction(machine, code);
    }
    return !cursor->failed;
}
