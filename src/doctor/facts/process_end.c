/* process_end.c - see process_end.h. */
#include "doctor/facts/process_end.h"

#include "ledger/model.h"

const struct process_record *process_end_record(const struct run *run, uint32_t pid)
{
    const struct process_record *found = NULL;

    for (size_t i = 0; run->own && i < run->own->process_count; i++)
        if (run->own->processes[i].pid == pid)
            found = &run->own->processes[i];
    return found;
}

bool process_end_replaced(const struct run *run, const struct model *model)
{
    for (size_t i = 0; i < run->process_count; i++)
        if (run->processes[i]->head.pid == model->head.pid &&
            run->processes[i]->head.generation > model->head.generation)
            return true;
    return false;
}

/* Of a pid that became another program, the end is that program's. */
static const struct process_record *last_record(const struct run *run, const struct model *model)
{
    return run && !process_end_replaced(run, model) ? process_end_record(run, model->head.pid) : NULL;
}

bool process_end_status(const struct run *run, const struct model *model, uint32_t *status)
{
    const struct process_record *record = last_record(run, model);

    if (!record || record->end == 0 || record->status == STATUS_UNKNOWN)
        return false;
    *status = record->status;
    return true;
}

enum ran_out process_end_ran_out(const struct run *run, const struct model *model)
{
    const struct process_record *record = last_record(run, model);

    if (record && (record->flags & PROCESS_OOM_KILLED))
        return RAN_OUT_PROCESS;
    for (size_t i = 0; run && run->own && i < run->own->process_count; i++)
        if (run->own->processes[i].flags & PROCESS_OOM_KILLED)
            return RAN_OUT_RUN;
    return RAN_OUT_NOT;
}
