/* tensor_advice.c - see tensor_advice.h. */
#include "doctor/detect/tensor_advice.h"

#include "ledger/site_kind.h"

static bool is_async(const struct model *model)
{
    for (size_t i = 0; i < model->note_count; i++)
        if (model->notes[i].known == KNOWN_note_async_tidy)
            return true;
    return false;
}

enum remedy_name tensor_advice(const struct finding *finding, const struct model *model, uint32_t site)
{
    if (finding->tensor_holder == TENSOR_VARIABLE)
        return REMEDY_dispose_variables;
    if (finding->tensor_holder == TENSOR_SCOPE)
        return REMEDY_end_scope;
    if (model->sites[site].kind != SITE_TENSOR)
        return REMEDY_let_go;
    return is_async(model) ? REMEDY_dispose_async : REMEDY_dispose;
}
