/* holder_records.c - see holder_records.h. */
#include "doctor/measure/holder_records.h"

#include "base/text.h"
#include "doctor/facts/rules.h"
#include "ledger/site_kind.h"

bool holder_has_owner(const struct model *model, size_t holder)
{
    for (size_t i = 0; i < model->owner_count; i++)
        if (model->owners[i].holder == holder + 1)
            return true;
    return false;
}

bool holder_is_same(const struct model *model, const struct holder_record *record, uint32_t site)
{
    const uint32_t stack = model->sites[site].stack;

    return record->site > 0 &&
           (record->site == site + 1 || (stack && model->sites[record->site - 1].stack == stack));
}

bool holder_is_of(const struct model *model, const struct holder_record *record, uint32_t site)
{
    return record->state == HOLDER_DONE && record->targets > 0 && holder_is_same(model, record, site);
}

static bool begins_with_root(const struct model *model, size_t holder)
{
    for (size_t i = 0; i < model->owner_count; i++)
        if (model->owners[i].holder == holder + 1 && model->owners[i].position == 0)
            return model->owners[i].kind < OWNER_RUNTIME;
    return false;
}

bool holder_through_number(const struct model *model, size_t holder)
{
    const bool object = model->sites[model->holders[holder].site - 1].kind == SITE_OBJECT;
    uint32_t last = 0;

    for (size_t i = 0; i < model->owner_count; i++)
        if (model->owners[i].holder == holder + 1 && model->owners[i].position > last)
            last = model->owners[i].position;
    for (size_t i = 0; i < model->owner_count; i++)
        if (model->owners[i].holder == holder + 1 && text_is(model->owners[i].type, "int") &&
            !(object && model->owners[i].position == last))
            return true;
    return false;
}

bool holder_was_held(const struct model *model, size_t holder, uint32_t site)
{
    const struct holder_record *record = &model->holders[holder];

    return holder_is_of(model, record, site) && record->targets >= RULE_HELD_MIN &&
           record->reached * 2ull >= record->targets && begins_with_root(model, holder) &&
           !holder_through_number(model, holder);
}

bool holder_held_before(const struct model *model, uint32_t site, uint64_t ordinal)
{
    for (size_t i = 0; i < model->holder_count; i++)
        if (model->holders[i].ordinal < ordinal && holder_was_held(model, i, site))
            return true;
    return false;
}
