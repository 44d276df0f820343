/* What to do about tensors that were never disposed, by who holds them. */
#include "doctor/detect/tensor_advice.h"
#include "test.h"

TEST(the_advice_for_tensors_follows_from_their_holder)
{
    struct model_site site = {.kind = SITE_TENSOR};
    struct model_note note = {.text = "", .known = KNOWN_note_async_tidy};
    struct model model = {.sites = &site, .site_count = 1, .notes = &note};
    const struct finding plain = {.site = 1}, variable = {.site = 1, .tensor_holder = TENSOR_VARIABLE},
                         scope = {.site = 1, .tensor_holder = TENSOR_SCOPE};

    CHECK_EQ(tensor_advice(&plain, &model, 0), REMEDY_dispose);
    CHECK_EQ(tensor_advice(&variable, &model, 0), REMEDY_dispose_variables);
    CHECK_EQ(tensor_advice(&scope, &model, 0), REMEDY_end_scope);
    model.note_count = 1; /* tf.tidy() was given an async function */
    CHECK_EQ(tensor_advice(&plain, &model, 0), REMEDY_dispose_async);
    CHECK_EQ(tensor_advice(&scope, &model, 0), REMEDY_end_scope);
    site.kind = SITE_TENSOR_MANAGED; /* the collector may release it */
    CHECK_EQ(tensor_advice(&plain, &model, 0), REMEDY_let_go);
}
