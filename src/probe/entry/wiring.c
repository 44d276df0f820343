/* wiring.c - see wiring.h. */
#include "probe/entry/wiring.h"

#include "probe/devices/device_memory.h"
#include "probe/entry/adapter.h"
#include "probe/entry/hooks.h"
#include "probe/entry/pending.h"
#include "probe/frameworks/autograd.h"
#include "probe/frameworks/called_type.h"
#include "probe/frameworks/frameworks.h"
#include "probe/js/stack_js.h"
#include "probe/lines/gauges.h"
#include "probe/record/maps.h"
#include "probe/record/pool.h"
#include "probe/record/stack.h"
#include "probe/record/step.h"
#include "probe/serve/first_search.h"
#include "probe/serve/greeting.h"
#include "probe/serve/requests.h"

#define ADAPTER_NS 5000000000u /* an interpreter that has started has loaded its adapter by then */

static void look(struct ledger *ledger, uint64_t now)
{
    greeting_missed(ledger, now, ADAPTER_NS);
}

static void write_totals(struct ledger *ledger, const uint64_t gauges[LEDGER_GAUGES])
{
    pool_write(ledger);
    frameworks_write(ledger);
    device_memory_write(ledger, gauges);
    hooks_driver_write(ledger);
}

static void fill_gauges(uint64_t gauges[LEDGER_GAUGES])
{
    gauges_fill(gauges);
    device_memory_gauges(gauges);
}

void wiring_setup(void)
{
    static const struct step_calls steps = {.fill_gauges = fill_gauges,
                                            .write_totals = write_totals,
                                            .stepped = first_search_step,
                                            .look = look,
                                            .serve = requests_serve,
                                            .pause = requests_pause};
    static const struct stack_calls stacks = {.forward = autograd_stack, .python = pending_look};

    step_setup(&steps);
    stack_setup(&stacks);
    maps_on_peak(step_look_for_peak);
    stack_js_on_collection(adapter_collects);
    called_type_setup(adapter_tick);
}
