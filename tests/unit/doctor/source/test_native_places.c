/* Native code below the line of the user: whose it is, and where the program's own code begins. */
#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/facts/runtimes.h"
#include "doctor/source/packages.h"
#include "doctor/source/places.h"
#include "doctor/source/source.h"
#include "doctor/source/symbols.h"
#include "ledger/model.h"
#include "test.h"

#define ENV "/srv/env/lib/python3.11/site-packages"

/* Modules of files that are not there, so that functions are module+offset. */
static struct model_module modules[] = {
    {.path = "/usr/lib/libc.so.6"},       {.path = "/usr/lib/libnetcdf.so.19"},
    {.path = "/srv/project/read"},     {.path = ENV "/h5py/h5p.cpython-311-x86_64-linux-gnu.so"},
    {.path = ENV "/h5py.libs/libhdf5-0a1b2c3d.so.310"}, {.path = "/srv/project/libown.so"},
};
enum { LIBC = 1, NETCDF, PROGRAM, H5P, HDF5, OWN };

/* A stack of these modules, innermost first; its id is 1. */
static struct places *stack_of(struct model *model, struct model_frame *frames, const uint32_t *units,
                               uint32_t count)
{
    struct arena *arena = arena_new();

    for (uint32_t i = 0; i < count; i++)
        frames[i] = (struct model_frame){.kind = FRAME_NATIVE,
                                         .unit = units[i],
                                         .offset = 0x100 + i,
                                         .caller = i + 1 < count ? i + 2 : 0};
    *model = (struct model){.program = "/srv/project/read",
                            .command = "",
                            .allocator = "",
                            .off_reason = "",
                            .modules = modules,
                            .module_count = OWN,
                            .frames = frames,
                            .frame_count = count};
    return places_new(model, symbols_new(arena), sources_new(NULL, arena), arena);
}

TEST(places_begin_in_the_program_and_not_in_a_library_that_it_calls)
{
    static const uint32_t units[] = {LIBC, NETCDF, NETCDF, PROGRAM, LIBC};
    struct model_frame frames[5];
    struct model model;
    struct places *places = stack_of(&model, frames, units, 5);
    const struct native_place *native;
    const struct place *list;
    size_t count;

    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 2);
    CHECK_TEXT(list[0].function, "read+0x103");
    places_native(places, 1, true, &native, &count);
    CHECK_EQ(count, 3);
    CHECK_TEXT(native[0].module, "libc.so.6");
    CHECK(native[0].serves && !native[1].serves);
    CHECK_TEXT(native[2].module, "libnetcdf.so.19");
    CHECK(native[1].installed && !native[1].packaged && !native[1].function);
}

TEST(places_of_a_librarys_own_work_are_the_librarys)
{
    static const uint32_t units[] = {LIBC, NETCDF, LIBC};
    struct model_frame frames[3];
    struct model model;
    struct places *places = stack_of(&model, frames, units, 3);
    const struct native_place *native;
    const struct place *list;
    size_t count;

    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 2);
    CHECK_TEXT(list[0].function, "libnetcdf.so.19+0x101");
    CHECK(list[0].user);
    places_native(places, 1, true, &native, &count);
    CHECK_EQ(count, 0);
}

TEST(places_of_a_library_beside_the_program_are_the_programs)
{
    static const uint32_t units[] = {LIBC, OWN, PROGRAM};
    struct model_frame frames[3];
    struct model model;
    struct places *places = stack_of(&model, frames, units, 3);
    const struct place *list;
    size_t count;

    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 2);
    CHECK_TEXT(list[0].function, "libown.so+0x101");
}

/* There the executable is the interpreter. */
TEST(places_of_a_process_with_python_code_begin_as_before)
{
    static const uint32_t units[] = {LIBC, NETCDF, PROGRAM};
    static struct model_code code;
    struct model_frame frames[3];
    struct model model;
    struct places *places = stack_of(&model, frames, units, 3);
    const struct place *list;
    size_t count;

    code = (struct model_code){.file = "/srv/a.py", .name = "main"};
    model.code = &code;
    model.code_count = 1;
    places_of(places, 1, &list, &count);
    CHECK_EQ(count, 2);
    CHECK_TEXT(list[0].function, "libnetcdf.so.19+0x101");
}

TEST(native_parts_know_the_package)
{
    static const uint32_t units[] = {LIBC, HDF5, H5P};
    struct model_package packages[] = {{.path = ENV "/h5py", .name = "h5py", .version = "3.16.0"},
                                       {.path = ENV "/h5", .name = "other", .version = "1"},
                                       {.path = ENV "/h5py.libs", .name = "h5py", .version = "3.16.0"}};
    const struct model own = {.packages = packages, .package_count = 3};
    struct model_frame frames[3];
    struct model model;
    struct places *places = stack_of(&model, frames, units, 3);
    const struct native_place *native;
    size_t count;

    places_use_packages(places, &own);
    places_native(places, 1, false, &native, &count);
    CHECK_EQ(count, 3);
    CHECK(!native[0].package && native[0].installed && !native[0].packaged);
    CHECK_TEXT(native[1].package, "h5py");
    CHECK_TEXT(native[1].version, "3.16.0");
    CHECK(native[2].installed && native[2].packaged);
}

TEST(native_parts_of_the_c_library_alone_say_nothing)
{
    static const uint32_t units[] = {LIBC, LIBC};
    struct model_frame frames[2];
    struct model model;
    struct places *places = stack_of(&model, frames, units, 2);
    const struct native_place *native;
    size_t count;

    places_native(places, 1, false, &native, &count);
    CHECK_EQ(count, 0);
    places_native(places, 99, false, &native, &count);
    CHECK_EQ(count, 0);
}

TEST(installed_files_are_known_by_their_folder)
{
    CHECK(runtimes_installed("/usr/lib/x86_64-linux-gnu/libz.so.1"));
    CHECK(runtimes_installed(ENV "/h5py/h5p.so"));
    CHECK(runtimes_installed("/srv/app/node_modules/sharp/build/Release/sharp.node"));
    CHECK(!runtimes_installed("/srv/project/build/libown.so"));
    CHECK(runtimes_foreign("libffi.so.8") && runtimes_foreign("_ctypes.cpython-311-x86_64-linux-gnu.so"));
    CHECK(!runtimes_foreign("libffish.so"));
}
