/* test_model.c - a ledger as arrays. */
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/mem.h"
#include "build_ledger.h"
#include "ledger/levels.h"
#include "ledger/model.h"
#include "test.h"

static struct model *load(const struct ledger *ledger)
{
    struct model *model = NULL;
    struct why why = {""};

    if (model_load(&model, ledger->head, (size_t)ledger->size, &why) != 0)
        test_fail(__FILE__, __LINE__, "model_load: %s", why.text);
    return model;
}

TEST(model_holds_what_a_small_process_wrote)
{
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    m = load(&ledger);
    CHECK_TEXT(m->program, "/usr/bin/train");
    CHECK_TEXT(m->command, "train --fast");
    CHECK_TEXT(m->allocator, "libc.so.6");
    CHECK_TEXT(m->off_reason, "");
    CHECK_EQ(m->module_count, 2);
    CHECK_TEXT(m->modules[1].path, "/lib/libc.so.6");
    CHECK_EQ(m->modules[1].build_id_size, 20);
    CHECK_EQ(m->frame_count, 10);
    CHECK_EQ(m->frames[6].caller, 5);
    CHECK_EQ(m->frames[4].caller, 10);
    CHECK_EQ(m->frames[9].caller, 0);
    CHECK_EQ(m->frames[9].unit, 2);
    CHECK_EQ(m->frames[6].offset, 0x30);
    CHECK_EQ(m->frames[0].kind, 0);
    CHECK_EQ(m->intervention_count, 1);
    CHECK_EQ(m->scope_count, 1);
    CHECK_TEXT(m->scopes[0].name, "epoch");
    CHECK_EQ(m->scopes[0].kept, -5);
    CHECK_EQ(m->note_count, 1);
    CHECK_TEXT(m->notes[0].text, "a note");
    CHECK_EQ(m->lost[LOST_reentered], 3);
    CHECK_EQ(model_live_bytes(m), 384);
    CHECK_EQ(model_live_blocks(m), 6);
    CHECK_EQ(model_class_blocks(m, 3), 6);
    CHECK_EQ(model_class_bytes(m, 4), 0);
    CHECK(!m->cut);
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_joins_sites_blocks_and_deaths)
{
    struct ledger ledger;
    struct model *m;

    build_small_process(&ledger, "1.0.tare");
    m = load(&ledger);
    CHECK_EQ(m->block_count, 3);
    CHECK_EQ(m->blocks[0].address, 0x6000);
    CHECK_EQ(m->blocks[1].address, 0x7000);
    CHECK_EQ(m->blocks[2].address, 0x8000);
    CHECK_EQ(m->blocks[2].grown, 1);
    CHECK_EQ(m->blocks[1].site, 3);
    CHECK_EQ(m->site_count, 6);
    CHECK_EQ(m->sites[2].stack, 7);
    CHECK_EQ(m->sites[2].class_index, 3);
    CHECK_EQ(m->sites[2].live_blocks, 2);
    CHECK_EQ(m->sites[2].live_bytes, 128);
    CHECK_EQ(m->sites[2].live_weight, 2000);
    CHECK_EQ(m->sites[2].peak_weight, 4000); /* marked with the peak */
    CHECK_EQ(m->sites[5].peak_weight, 900);  /* marked before it: what lives */
    CHECK_EQ(m->sites[1].kind, 0);
    CHECK_EQ(m->death_count, 2);
    CHECK_EQ(m->deaths[0].site, 3);
    CHECK_EQ(m->deaths[1].site, 0); /* there is no site 99 */
    CHECK_EQ(m->map_count, 1);
    CHECK_EQ(m->maps[0].site, 3);
    CHECK_EQ(m->step_count, 40);
    CHECK_EQ(m->steps[39].live_bytes, 40 * 640);
    model_free(m);
    ledger_close(&ledger);
}

TEST(model_holds_what_a_small_run_wrote)
{
    struct ledger ledger;
    struct model *m;

    build_small_run(&ledger, "run.tare");
    m = load(&ledger);
    CHECK_EQ(m->process_count, 2);
    CHECK_TEXT(m->process_names[0], "train");
    CHECK(!m->process_untraced[0]);
    CHECK_TEXT(m->process_names[1], "");
    CHECK_TEXT(m->process_untraced[1], "a static program");
    CHECK_EQ(m->limit_count, 1);
    CHECK_TEXT(m->limit_paths[0], "/user.slice");
    CHECK_EQ(m->account_count, 1);
    CHECK_EQ(m->sample_count, 30);
    CHECK_EQ(m->samples[29].resident, 30 * 4096);
    CHECK_EQ(m->step_count, 0);
    model_free(m);
    ledger_close(&ledger);
}
