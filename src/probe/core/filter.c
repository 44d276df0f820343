/* filter.c - see filter.h. */
#include "probe/core/filter.h"

#include <sys/mman.h>

#define CELL_END 255 /* a full cell is never taken down again */

_Alignas(4096) uint8_t filter_cells[1 << FILTER_BITS];

bool filter_setup(void)
{
    return madvise(filter_cells, sizeof(filter_cells), MADV_WIPEONFORK) == 0;
}

static void change(uint8_t *cell, int by)
{
    uint8_t value = __atomic_load_n(cell, __ATOMIC_RELAXED);

    do
        if (value == CELL_END || (by < 0 && value == 0))
            return;
    while (!__atomic_compare_exchange_n(cell, &value, (uint8_t)(value + by), true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

void filter_add(const void *block)
{
    change(&filter_cells[filter_cell(block)], 1);
}

void filter_remove(const void *block)
{
    change(&filter_cells[filter_cell(block)], -1);
}

void filter_hold(const void *area, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 16)
        __atomic_store_n(&filter_cells[filter_cell((const char *)area + at)], CELL_END,
                         __ATOMIC_RELEASE);
}
