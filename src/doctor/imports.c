/* imports.c - see imports.h. */
#include "doctor/imports.h"

#include "base/python_path.h"
#include "ledger/model.h"

bool imports_frame(const struct model *model, const struct model_frame *frame)
{
    return frame->kind == FRAME_PYTHON && frame->unit > 0 && frame->unit <= model->code_count &&
           python_path_is_importer(model->code[frame->unit - 1].file);
}

bool imports_made(const struct model *model, uint32_t site)
{
    uint32_t stack = site < model->site_count ? model->sites[site].stack : 0;

    for (unsigned depth = 0; stack > 0 && stack <= model->frame_count && depth < MODEL_DEPTH_MAX;
         depth++) {
        if (imports_frame(model, &model->frames[stack - 1]))
            return true;
        stack = model->frames[stack - 1].caller;
    }
    return false;
}
