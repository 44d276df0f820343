/* Pools of libraries that bring their own allocator, told by the module that mapped them. */
#include "doctor/facts/pools.h"
#include "test.h"

#define MB (1ull << 20)

static struct map_record map(uint64_t start, uint64_t mb, uint64_t resident, uint32_t unit)
{
    return (struct map_record){.start = start * MB, .length = mb * MB, .site = 1, .kind = SITE_MAP,
                               .unit = unit, .resident = resident * MB};
}

TEST(mappings_are_added_up_by_the_library_that_made_them)
{
    struct model_module modules[] = {{.path = "/usr/lib/libc.so.6"},
                                     {.path = "/x/site-packages/pyarrow/libarrow.so.2600"},
                                     {.path = "/x/_polars_runtime/_polars_runtime.abi3.so"},
                                     {.path = "libarrow_python.so"}};
    struct map_record maps[] = {map(1, 1024, 100, 2), map(2000, 8, 4, 1),  map(3000, 64, 28, 2),
                                map(4000, 16, 16, 3), map(5000, 9, 9, 4), map(6000, 7, 7, 99)};
    struct model_site site = {.kind = SITE_MAP};
    struct model model = {.modules = modules, .module_count = 4, .maps = maps, .map_count = 6,
                          .sites = &site, .site_count = 1};
    struct pool pools[POOLS_MAX];
    struct pool one;

    CHECK_EQ(pools_of(&model, pools), 2);
    CHECK_TEXT(pools[0].name, "pyarrow's memory pool");
    CHECK_EQ(pools[0].mapped, 1088 * MB);
    CHECK_EQ(pools[0].resident, 128 * MB);
    CHECK_TEXT(pools[1].name, "polars' memory pool");
    CHECK_EQ(pools[1].resident, 16 * MB);
    CHECK(pools_made(&model, 0, &one));
    maps[0].unit = maps[2].unit = maps[3].unit = 1;
    CHECK_EQ(pools_of(&model, pools), 0);
    CHECK(!pools_made(&model, 0, &one));
}
