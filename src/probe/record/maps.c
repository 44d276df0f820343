/* maps.c - see maps.h.
 *
 * A private array sorted by address says what is where; the ledger has a record for each entry, in
 * the slot the entry names. One writer at a time: a mapping is a system call of microseconds
 * anyway. A thread that cannot get in after a long while gives up and counts it.
 */
#include "probe/record/maps.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "probe/core/brief_lock.h"
#include "probe/core/own.h"
#include "probe/core/spare_stack.h"
#include "probe/core/state.h"
#include "probe/record/names.h"
#include "probe/record/site.h"
#include "probe/record/stack.h"
#include "probe/unwind/modules.h"

#define MAPS_MAX 16384 /* the section's capacity */
#define MAPS_FIRST 1024
#define MAPS_GROW 4
#define TRIES 200000
#define NO_SLOT UINT32_MAX
#define LOOKS 32 /* names looked up in one go: about 20 µs */

struct entry {
    struct maps_piece piece;
    uint32_t slot;
};

struct state {
    uint32_t count;
    uint32_t free_count;            /* slots given back, in free_slots */
    uint32_t next_slot;             /* slots never used begin here */
    uint32_t room;                  /* of the two below */
    uint32_t looked;                /* of those that are left: where the next look begins */
    uintptr_t left;                 /* room that was given to them, from MAP_LEFT on */
    struct entry *entries;          /* by address, disjoint */
    uint32_t *free_slots;
};

static struct state *state; /* private pages, wiped by a fork */
static uint8_t held;        /* atomic */
static void (*on_peak)(struct ledger *ledger);
static uint64_t bytes_of[8]; /* atomic: by enum site_kind */
static int64_t reserved;     /* atomic */
static __thread struct maps_flow flow; /* what this thread has mapped and released */

void maps_on_peak(void (*look)(struct ledger *ledger))
{
    on_peak = look;
}

bool maps_setup(void)
{
    state = own_map(sizeof(*state));
    return state != NULL;
}

static bool lock(void)
{
    const bool mine = brief_lock(&held, TRIES);

    if (!mine)
        state_lose(LOST_maps_full, 1);
    return mine;
}

/* Shared memory lives in files without a disk; pages of other files belong to the page cache. */
static bool in_memory(int fd)
{
    struct statfs info;

    return fstatfs(fd, &info) == 0 && (info.f_type == TMPFS_MAGIC || info.f_type == HUGETLBFS_MAGIC);
}

uint32_t maps_kind(int protection, int flags, int fd)
{
    if (protection == PROT_NONE)
        return 0;
    if ((flags & MAP_TYPE) != MAP_PRIVATE)
        return flags & MAP_ANONYMOUS || in_memory(fd) ? SITE_SHARED : 0;
    return flags & MAP_ANONYMOUS || fd < 0 ? SITE_MAP : 0;
}

/* ---- the ledger's record of an entry ---- */

static uint32_t take_slot(struct ledger *ledger)
{
    uint32_t slot = state->free_count ? state->free_slots[--state->free_count] : NO_SLOT;

    if (slot == NO_SLOT && state->next_slot < MAPS_MAX &&
        ledger_take(ledger, SECTION_maps, state->next_slot + 1)) {
        struct section_entry *section = ledger_entry(ledger, SECTION_maps);

        slot = state->next_slot++;
        if (section->used < state->next_slot)
            __atomic_store_n(&section->used, state->next_slot, __ATOMIC_RELEASE);
    }
    return slot;
}

static void publish(struct ledger *ledger, const struct entry *entry)
{
    struct map_record *record = (struct map_record *)ledger_records(ledger, SECTION_maps);

    record += entry->slot;
    __atomic_store_n(&record->start, 0, __ATOMIC_RELEASE);
    record->length = entry->piece.end - entry->piece.start;
    record->birth = entry->piece.birth;
    record->site = entry->piece.site;
    record->kind = entry->piece.kind;
    record->unit = entry->piece.unit;
    record->resident = 0;
    __atomic_store_n(&record->start, entry->piece.start, __ATOMIC_RELEASE);
}

static void retire(struct ledger *ledger, uint32_t slot)
{
    struct map_record *record = (struct map_record *)ledger_records(ledger, SECTION_maps);

    __atomic_store_n(&record[slot].start, 0, __ATOMIC_RELEASE);
    state->free_slots[state->free_count++] = slot;
}

/* ---- the sorted array ---- */

/* Index of the first entry that ends after `address`. */
static uint32_t first_behind(uintptr_t address)
{
    uint32_t low = 0, high = state->count;

    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (state->entries[middle].piece.end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void account(const struct maps_piece *piece, int sign)
{
    const uint64_t length = piece->end - piece->start;

    if (piece->object && piece->start < MAP_LEFT)
        names_mapped(piece->object, sign);
    if (piece->kind != SITE_ARENA)
        *(sign > 0 ? &flow.born : &flow.dead) += length;
    (void)__atomic_add_fetch(&bytes_of[piece->kind & 7], sign > 0 ? length : -length,
                             __ATOMIC_RELAXED);
}

/* Room for one more entry. What was too small is never given back: a third of what is there now. */
static bool has_room(void)
{
    const uint32_t room = state->room ? state->room * MAPS_GROW : MAPS_FIRST;
    struct entry *entries;
    uint32_t *free_slots;

    if (state->count < state->room)
        return true;
    entries = room <= MAPS_MAX ? own_map(room * (sizeof(*entries) + sizeof(*free_slots))) : NULL;
    if (!entries)
        return false;
    free_slots = (uint32_t *)(entries + room);
    if (state->room > 0) {
        memcpy(entries, state->entries, state->count * sizeof(*entries));
        memcpy(free_slots, state->free_slots, state->free_count * sizeof(*free_slots));
    }
    state->entries = entries;
    state->free_slots = free_slots;
    state->room = room;
    return true;
}

/* Nothing lies there any more. */
static bool insert(struct ledger *ledger, const struct maps_piece *piece)
{
    const uint32_t at = first_behind(piece->start);
    struct entry *entry;
    uint32_t slot;

    if (!has_room() || (slot = take_slot(ledger)) == NO_SLOT) {
        ledger_lose(ledger, LOST_maps_full, 1);
        return false;
    }
    entry = &state->entries[at];
    memmove(entry + 1, entry, (state->count - at) * sizeof(*entry));
    *entry = (struct entry){.piece = *piece, .slot = slot};
    state->count++;
    account(piece, 1);
    publish(ledger, entry);
    return true;
}

static void erase(struct ledger *ledger, uint32_t at)
{
    struct entry *entry = &state->entries[at];

    account(&entry->piece, -1);
    retire(ledger, entry->slot);
    state->count--;
    memmove(entry, entry + 1, (state->count - at) * sizeof(*entry));
}

static void remember(struct maps_cut *cut, const struct maps_piece *piece)
{
    if (cut && cut->count < MAPS_CUT)
        cut->pieces[cut->count++] = *piece;
}

/* It is unmapped now. If no other mapping shows it, and it has a name, it is there as before. */
static bool leave_behind(struct ledger *ledger, const struct maps_piece *piece)
{
    struct maps_piece left = *piece;

    if (!piece->object || piece->start >= MAP_LEFT || names_is_mapped(piece->object) ||
        !names_remains(piece->object))
        return false;
    left.start = MAP_LEFT + state->left;
    left.end = left.start + (piece->end - piece->start);
    state->left += piece->end - piece->start;
    return insert(ledger, &left);
}

/* Takes [start, end) out of one overlapping entry, keeping what sticks out on either side. */
static void cut_entry(struct ledger *ledger, uint32_t at, uintptr_t start, uintptr_t end,
                      struct maps_cut *cut)
{
    const struct maps_piece whole = state->entries[at].piece;
    struct maps_piece before = whole, after = whole, middle = whole;

    middle.start = whole.start > start ? whole.start : start;
    middle.end = whole.end < end ? whole.end : end;
    before.end = middle.start;
    after.start = middle.end;
    erase(ledger, at);
    if (before.end > before.start)
        (void)insert(ledger, &before);
    if (after.end > after.start)
        (void)insert(ledger, &after);
    remember(cut, &middle);
    if (leave_behind(ledger, &middle))
        return;
    site_died(ledger, middle.site,
              &(struct block_record){.size = middle.end - middle.start,
                                     .weight = middle.end - middle.start,
                                     .birth = middle.birth},
              state_ordinal());
}

static void cut_out(struct ledger *ledger, uintptr_t start, uintptr_t end, struct maps_cut *cut)
{
    uint32_t at = first_behind(start);

    while (at < state->count && state->entries[at].piece.start < end) {
        cut_entry(ledger, at, start, end, cut);
        at = first_behind(start);
    }
}

/* ---- shared memory that is left under its name ---- */

static void drop_left(struct ledger *ledger, uint32_t object)
{
    for (uint32_t i = first_behind(MAP_LEFT); object && i < state->count;) {
        const struct maps_piece piece = state->entries[i].piece;

        if (piece.object == object)
            cut_out(ledger, piece.start, piece.end, NULL);
        else
            i++;
    }
}

void maps_name_removed(const char *name)
{
    struct ledger *ledger = state_ledger_now();
    uint32_t object;

    if (!ledger || !state || !lock())
        return;
    object = names_find(name);
    drop_left(ledger, object);
    if (!names_is_mapped(object))
        names_forget(object);
    brief_unlock(&held);
}

void maps_look_at_names(void)
{
    struct ledger *ledger = state_ledger_now();
    uint32_t first;

    if (!ledger || !state || state->left == 0 || !lock())
        return;
    first = first_behind(MAP_LEFT);
    for (unsigned i = 0; i < LOOKS && first < state->count; i++) {
        const uint32_t entry = first + state->looked++ % (state->count - first);
        const uint32_t object = state->entries[entry].piece.object;

        if (names_remains(object))
            continue;
        drop_left(ledger, object);
        names_forget(object);
    }
    brief_unlock(&held);
}

/* ---- what the hooks call ---- */

static uintptr_t page_up(uintptr_t value)
{
    return (value + 4095) & ~(uintptr_t)4095;
}

static void add(struct ledger *ledger, const struct maps_piece *piece)
{
    cut_out(ledger, piece->start, piece->end, NULL);
    drop_left(ledger, piece->object); /* it is mapped again */
    if (insert(ledger, piece))
        site_born(ledger, piece->site, piece->end - piece->start, piece->birth);
}

/* The mapping code identifies the libraries that have their own allocator. */
static uint32_t unit_of(const void *caller)
{
    struct module_view view;

    if (!modules_find((uintptr_t)caller, true, &view) || view.number == 0)
        return 0;
    return __atomic_load_n(&modules_faces[view.number].unit, __ATOMIC_ACQUIRE);
}

/* A mapping to be noted. */
struct born {
    struct maps_piece piece;
    const struct maps_new *made;
};

static void note_born(void *context)
{
    struct born *born = context;
    struct ledger *ledger = state_ledger();

    if (!ledger || !state)
        return;
    born->piece.birth = state_ordinal();
    born->piece.unit = unit_of(born->made->caller);
    born->piece.site = site_find(ledger, stack_take(ledger, born->made->frame, NULL),
                                 ledger_class(born->made->length), (enum site_kind)born->piece.kind);
    if (!lock())
        return;
    add(ledger, &born->piece);
    brief_unlock(&held);
    if (site_peak_likely())
        on_peak(ledger);
}

void maps_born(const struct maps_new *made)
{
    struct born born = {.piece = {.start = (uintptr_t)made->address,
                                  .end = (uintptr_t)made->address + page_up(made->length),
                                  .kind = made->kind,
                                  .object = made->object},
                        .made = made};

    if (!spare_stack_call(note_born, &born))
        state_lose(LOST_stack_small, 1);
}

void maps_dead(void *address, size_t length, struct maps_cut *cut)
{
    struct ledger *ledger = state_ledger_now();
    const uintptr_t start = (uintptr_t)address;

    if (!ledger || !state || __atomic_load_n(&state->count, __ATOMIC_RELAXED) == 0 || !lock())
        return;
    cut_out(ledger, start, start + page_up(length), cut);
    brief_unlock(&held);
}

void maps_dead_at(void *address)
{
    struct ledger *ledger = state_ledger_now();
    const uintptr_t at = (uintptr_t)address;
    uint32_t index;

    if (!ledger || !state || !lock())
        return;
    index = first_behind(at);
    if (index < state->count && state->entries[index].piece.start <= at) {
        const struct maps_piece piece = state->entries[index].piece;

        cut_out(ledger, piece.start, piece.end, NULL);
    }
    brief_unlock(&held);
}

void maps_put_back(const struct maps_cut *cut)
{
    struct ledger *ledger = state_ledger_now();

    if (!ledger || !state || cut->count == 0 || !lock())
        return;
    for (unsigned i = 0; i < cut->count; i++)
        add(ledger, &cut->pieces[i]);
    brief_unlock(&held);
}

void maps_moved(const struct maps_cut *cut, void *address, size_t length)
{
    struct ledger *ledger = state_ledger_now();
    struct maps_piece piece;

    if (!ledger || !state || cut->count == 0 || !lock())
        return;
    piece = cut->pieces[0];
    piece.start = (uintptr_t)address;
    piece.end = piece.start + page_up(length);
    add(ledger, &piece);
    brief_unlock(&held);
}

void maps_allocator_grew(int64_t bytes)
{
    (void)__atomic_add_fetch(&reserved, bytes, __ATOMIC_RELAXED);
}

uint64_t maps_bytes(enum site_kind kind)
{
    return __atomic_load_n(&bytes_of[kind], __ATOMIC_RELAXED);
}

struct maps_flow maps_of_thread(void)
{
    return flow;
}

uint64_t maps_reserved(void)
{
    const int64_t now = __atomic_load_n(&reserved, __ATOMIC_RELAXED);

    return now > 0 ? (uint64_t)now : 0;
}

void maps_forked(void)
{
    held = 0;
    memset(bytes_of, 0, sizeof(bytes_of));
    reserved = 0;
}
