/* doubt_pure.c - see doubt_pure.h. */
#include "probe/search/doubt_pure.h"

#define ROOM_FIRST 1024u /* things: one page */
#define ROOM_MOST (1u << 30)
#define BUFFER 16 /* bits: one word in 65,536 of such memory is believed by chance */
#define BLOCK_MOST (DOUBT_SLOTS - 1 - BUFFER)

uint32_t doubt_of(size_t bytes, bool buffer)
{
    const size_t words = bytes / sizeof(uint64_t);
    uint32_t bits = 0;

    while (bits < BLOCK_MOST && words > (size_t)1 << bits)
        bits++;
    return bits + (buffer ? BUFFER : 0);
}

static bool make_room(const struct doubt_queue *queue, struct doubt_slot *slot)
{
    const uint32_t room = slot->room ? 2 * slot->room : ROOM_FIRST;

    if (room > ROOM_MOST ||
        !queue->grow(&slot->list, slot->room * sizeof(*slot->list), room * sizeof(*slot->list)))
        return false;
    slot->room = room;
    return true;
}

bool doubt_put(struct doubt_queue *queue, uint32_t one, uint32_t more)
{
    const uint32_t number = (queue->now + (more < DOUBT_SLOTS ? more : DOUBT_SLOTS - 1)) % DOUBT_SLOTS;
    struct doubt_slot *slot = &queue->slots[number];

    if (slot->tail == slot->room && !make_room(queue, slot))
        return false;
    slot->list[slot->tail++] = one;
    queue->filled |= 1ull << number;
    return true;
}

/* How many slots after the present one the next lies that is not empty; `filled` is not 0. */
static uint32_t distance(const struct doubt_queue *queue)
{
    const uint32_t number = queue->now % DOUBT_SLOTS;
    const uint64_t turned = queue->filled >> number | (number ? queue->filled << (DOUBT_SLOTS - number) : 0);

    return (uint32_t)__builtin_ctzll(turned);
}

bool doubt_take(struct doubt_queue *queue, uint32_t *one)
{
    struct doubt_slot *slot;

    if (!queue->filled)
        return false;
    queue->now += distance(queue);
    slot = &queue->slots[queue->now % DOUBT_SLOTS];
    *one = slot->list[slot->head++];
    if (slot->head == slot->tail) {
        slot->head = slot->tail = 0;
        queue->filled &= ~(1ull << queue->now % DOUBT_SLOTS);
    }
    return true;
}

uint32_t doubt_ahead(const struct doubt_queue *queue, uint32_t others)
{
    const struct doubt_slot *slot = &queue->slots[queue->now % DOUBT_SLOTS];

    return slot->tail - slot->head > others ? slot->list[slot->head + others] : 0;
}

void doubt_restart(struct doubt_queue *queue)
{
    for (uint32_t i = 0; i < DOUBT_SLOTS; i++)
        queue->slots[i].head = queue->slots[i].tail = 0;
    queue->filled = 0;
    queue->now = 0;
}
