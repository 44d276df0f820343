/* test_native_name.c - names of C++ classes as compilers encode them, and what is none. */
#include "probe/search/native_name_pure.h"
#include "test.h"

TEST(native_name_gives_the_last_part)
{
    static const struct {
        const char *encoded, *want; /* NULL: refused */
    } cases[] = {
        {"N5torch8autograd9generated14AddmmBackward0E", "AddmmBackward0"},
        {"N3c1010TensorImplE", "TensorImpl"},
        {"4Node", "Node"},
        {"*4Node", "Node"},
        {"N12_GLOBAL__N_14NodeE", "Node"},
        {"St23_Sp_counted_ptr_inplaceI4NodeSaIvELN9__gnu_cxx12_Lock_policyE2EE",
         "_Sp_counted_ptr_inplace"},
        {"N5torch8autograd7CppNodeI4MineE", "CppNode"},
        {"N4more3BoxIiE4PartE", "Part"},
        {"", NULL},
        {"N", NULL},
        {"i", NULL},
        {"99short", NULL},
        {"N5torch", "torch"},
        {"0", NULL},
        {"N3BoxI", "Box"},
    };
    char name[64];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bool given = native_name(cases[i].encoded, name, sizeof(name));

        CHECK_EQ(given, cases[i].want != NULL);
        if (given && cases[i].want)
            CHECK_TEXT(name, cases[i].want);
    }
}

TEST(native_name_does_not_cut)
{
    char name[4];

    CHECK_EQ(native_name("4Node", name, sizeof(name)), false);
    CHECK_EQ(native_name("3Box", name, sizeof(name)), true);
}
