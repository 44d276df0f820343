/* imports.c - see imports.h. */
#include "doctor/measure/imports.h"

#include "base/python_path.h"
#include "ledger/model.h"

bool imports_frame(const struct model *model, const struct model_frame *frame)
{
    return frame->kind == FRAME_PYTHON && frame->unit > 0 && frame->unit <= model->code_count &&
           python_path_is_importer(model->code[frame->unit - 1].file);
}

bool imports_made(const struct model *model, uint32_t site)
{
    const struct model_frame *frame = model_site_frame(model, site);

    for (unsigned depth = 0; frame && depth < MODEL_DEPTH_MAX; depth++) {
        if (imports_frame(model, frame))
            return true;
        frame = model_frame(model, frame->caller);
    }
    return false;
}
