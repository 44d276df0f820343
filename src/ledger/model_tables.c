/* model_tables.c - the open-addressed tables of a ledger: stacks, sites, live blocks, mappings.
 *
 * Tables are read slot by slot, each slot under its key. Ids are checked when all is read
 * (resolve_tables): what refers to nothing refers to 0.
 */
#include <stdlib.h>
#include <string.h>

#include "ledger/model_parts.h"
#include "ledger/site_kind.h"

#define ADDRESS_BUSY 1 /* a live slot being filled */

/* ---- live blocks ---- */

static bool get_block(const struct reader *r, uint64_t slot, struct model_block *out)
{
    struct live_key key, again;
    struct block_record record;

    if (!reader_get(r, SECTION_live, slot, &key, sizeof(key)) || key.address <= ADDRESS_BUSY)
        return false;
    if (!reader_get(r, SECTION_blocks, slot, &record, sizeof(record)))
        return false;
    if (!reader_get(r, SECTION_live, slot, &again, sizeof(again)) || again.address != key.address)
        return false; /* freed while it was read: it is not alive */
    *out = (struct model_block){.address = key.address,
                                .size = record.size,
                                .weight = record.weight,
                                .birth = record.birth,
                                .site = record.site,
                                .grown = record.grown,
                                .holder = record.holder,
                                .native = record.native};
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct model_block *left = a, *right = b;

    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return left->birth < right->birth ? -1 : left->birth > right->birth;
}

/* One block for each address; the youngest, since an address is given out again only after a free.
 */
static size_t drop_twins(struct model_block *blocks, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && blocks[kept - 1].address == blocks[i].address)
            kept--;
        blocks[kept++] = blocks[i];
    }
    return kept;
}

static uint64_t count_live(const struct reader *r)
{
    const uint64_t slots = reader_count(r, SECTION_live);
    uint64_t count = 0;
    struct live_key key;

    for (uint64_t i = 0; i < slots; i++)
        count += reader_get(r, SECTION_live, i, &key, sizeof(key)) && key.address > ADDRESS_BUSY;
    return count;
}

int load_blocks(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t slots = reader_count(r, SECTION_live), room = count_live(r);
    const int err = TAKE_ARRAY(m->blocks, room, "live blocks", why);

    if (err)
        return err;
    for (uint64_t i = 0; i < slots && m->block_count < room; i++)
        m->block_count += get_block(r, i, &m->blocks[m->block_count]);
    qsort(m->blocks, m->block_count, sizeof(m->blocks[0]), by_address);
    m->block_count = drop_twins(m->blocks, m->block_count);
    return 0;
}

/* ---- mappings ---- */

static int by_start(const void *a, const void *b)
{
    const struct map_record *left = a, *right = b;

    return left->start < right->start ? -1 : left->start > right->start;
}

static bool map_is_sound(const struct map_record *map)
{
    uint64_t end;

    return map->length > 0 && !__builtin_add_overflow(map->start, map->length, &end);
}

int load_maps(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t slots = reader_count(r, SECTION_maps);
    const int err = TAKE_ARRAY(m->maps, slots, "mappings", why);

    if (err)
        return err;
    for (uint64_t i = 0; i < slots; i++) {
        struct map_record *map = &m->maps[m->map_count];

        m->map_count +=
            reader_get_keyed(r, SECTION_maps, i, map, sizeof(*map)) && map_is_sound(map);
    }
    qsort(m->maps, m->map_count, sizeof(m->maps[0]), by_start);
    return 0;
}

/* ---- sites ---- */

static void fill_site(struct model_site *site, const struct site_record *record,
                      uint64_t peak_number)
{
    const uint64_t stack = record->key >> 16, class_index = record->key >> 8 & 0xff;

    *site = (struct model_site){
        .stack = stack <= UINT32_MAX ? (uint32_t)stack : 0,
        .class_index = class_index < LEDGER_CLASSES ? (uint32_t)class_index : LEDGER_CLASSES - 1,
        .kind = (uint32_t)(record->key & 0xff),
        .first = record->first,
        .last = record->last,
        .births = record->births,
        .deaths = record->deaths,
        .born_weight = record->born_weight,
        .dead_weight = record->dead_weight,
        .live_weight = record->born_weight > record->dead_weight
                           ? record->born_weight - record->dead_weight
                           : 0,
    };
    memcpy(site->ages, record->ages, sizeof(site->ages));
    /* A site not touched since the mark has had its live weight ever since. */
    site->peak_weight =
        peak_number > 0 && record->peak >= peak_number ? record->peak_weight : site->live_weight;
}

/* The number of the latest peak of devices' memory. */
static uint64_t device_peaks(const struct reader *r)
{
    const uint64_t records = reader_count(r, SECTION_devices);
    uint64_t most = 0;

    for (uint64_t i = 0; i < records; i++) {
        struct device_record device;

        if (reader_get(r, SECTION_devices, i, &device, sizeof(device)) && device.peak > most)
            most = device.peak;
    }
    return most;
}

int load_sites(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t slots = reader_count(r, SECTION_sites);
    const int err = TAKE_ARRAY(m->sites, slots, "sites", why);
    const uint64_t device_peak = device_peaks(r);

    if (err)
        return err;
    for (uint64_t i = 0; i < slots; i++) {
        struct site_record record;

        if (!reader_get_keyed(r, SECTION_sites, i, &record, sizeof(record)))
            continue;
        fill_site(&m->sites[i], &record, site_is_device(record.key & 0xff) ? device_peak : m->peak.number);
        m->site_count = (size_t)i + 1;
    }
    return 0;
}

/* ---- stacks ---- */

int load_frames(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t slots = reader_count(r, SECTION_stacks);
    const int err = TAKE_ARRAY(m->frames, slots, "frames", why);

    if (err)
        return err;
    for (uint64_t i = 0; i < slots; i++) {
        struct stack_record record;

        if (!reader_get_keyed(r, SECTION_stacks, i, &record, sizeof(record)) ||
            (record.link & 0xff) == 0 || (record.link & 0xff) == FRAME_BUSY)
            continue;
        m->frames[i] = (struct model_frame){.caller = (uint32_t)(record.link >> 32),
                                            .kind = (uint32_t)(record.link & 0xff),
                                            .unit = (uint32_t)(record.link >> 8 & 0xffffff),
                                            .offset = record.offset};
        m->frame_count = (size_t)i + 1;
    }
    return 0;
}

static bool has_frame(const struct model *m, uint32_t id)
{
    return id > 0 && id <= m->frame_count && m->frames[id - 1].kind != 0;
}

/* Gives every frame from `id` outwards its depth (1: outermost), and cuts a path that is too long.
 * A circle is a path that is too long, so it is cut as well. */
static void settle_depth(struct model *m, uint16_t *depth, uint32_t id)
{
    uint32_t path[MODEL_DEPTH_MAX];
    size_t length = 0;

    while (id != 0 && depth[id - 1] == 0 && length < MODEL_DEPTH_MAX) {
        path[length++] = id;
        id = m->frames[id - 1].caller;
    }
    if (id != 0 && depth[id - 1] == 0)
        m->frames[path[length - 1] - 1].caller = 0;
    while (length > 0) {
        struct model_frame *frame = &m->frames[path[--length] - 1];
        uint16_t *own = &depth[path[length] - 1];

        if (*own != 0)
            continue;
        if (frame->caller != 0 && depth[frame->caller - 1] >= MODEL_DEPTH_MAX)
            frame->caller = 0;
        *own = frame->caller == 0 ? 1 : (uint16_t)(depth[frame->caller - 1] + 1);
    }
}

static int resolve_frames(struct model *m, struct why *why)
{
    uint16_t *depth;
    const int err = TAKE_ARRAY(depth, m->frame_count, "depths", why);

    if (err)
        return err;
    for (size_t i = 0; i < m->frame_count; i++) {
        struct model_frame *frame = &m->frames[i];

        if (!has_frame(m, frame->caller))
            frame->caller = 0;
        if (frame->kind == FRAME_NATIVE && frame->unit > m->module_count)
            frame->unit = 0;
        if (frame->kind == FRAME_PYTHON && frame->unit > m->code_count)
            frame->unit = 0;
        if (frame->kind == FRAME_JS && frame->unit > m->script_count)
            frame->unit = 0;
    }
    for (size_t i = 0; i < m->frame_count; i++)
        settle_depth(m, depth, (uint32_t)i + 1);
    mem_free(depth);
    return 0;
}

static uint32_t site_or_none(const struct model *m, uint32_t site)
{
    return site > 0 && site <= m->site_count && m->sites[site - 1].kind != 0 ? site : 0;
}

int resolve_tables(struct model *m, struct why *why)
{
    const int err = resolve_frames(m, why);

    if (err)
        return err;
    for (size_t i = 0; i < m->site_count; i++)
        if (!has_frame(m, m->sites[i].stack))
            m->sites[i].stack = 0;
    for (size_t i = 0; i < m->map_count; i++) {
        m->maps[i].site = site_or_none(m, m->maps[i].site);
        if (m->maps[i].unit > m->module_count)
            m->maps[i].unit = 0;
    }
    for (size_t i = 0; i < m->death_count; i++)
        m->deaths[i].site = site_or_none(m, m->deaths[i].site);
    for (size_t i = 0; i < m->block_count; i++) {
        struct model_block *block = &m->blocks[i];

        block->site = site_or_none(m, block->site);
        if (!has_frame(m, block->native))
            block->native = 0;
        if (block->site == 0)
            continue;
        m->sites[block->site - 1].live_blocks++;
        m->sites[block->site - 1].live_bytes += block->size;
    }
    return 0;
}
