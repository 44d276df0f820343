/* adapter_table.c - the symbol that adapters look up, with the function for each call of adapter_abi.h. */
#include "probe/core/export.h"
#include "probe/core/state.h"
#include "probe/devices/device_memory.h"
#include "probe/entry/adapter.h"
#include "probe/entry/adapter_abi.h"
#include "probe/entry/adapter_frameworks.h"
#include "probe/entry/adapter_js.h"
#include "probe/entry/hooks.h"
#include "probe/entry/marks.h"
#include "probe/frameworks/called_type.h"
#include "probe/frameworks/counted_types.h"
#include "probe/frameworks/tensors.h"
#include "probe/js/script_text.h"
#include "probe/js/stack_js.h"
#include "probe/js/v8.h"
#include "probe/lines/gauges.h"
#include "probe/lines/lines.h"
#include "probe/lines/lines_api.h"
#include "probe/record/step.h"
#include "probe/serve/asking.h"
#include "probe/serve/snapshots.h"

EXPORT extern const struct tare_adapter tare_adapter;
const struct tare_adapter tare_adapter = {
    .size = sizeof(tare_adapter),

    .hello = adapter_hello,
    .loading = state_loads,
    .tick = adapter_tick,
    .end = adapter_end,
    .note = adapter_note,
    .scope_begin = marks_scope_begin,
    .scope_end = marks_scope_end,
    .gauge = gauges_set,
    .gauge_at = gauges_set_at,

    .pool_find = adapter_pool_find,
    .pool_read = adapter_pool_read,
    .launch = adapter_launch,
    .trace = adapter_trace,
    .registry = adapter_registry,
    .count_type = counted_type_add,
    .clock_calls = called_type_add,
    .tensors = tensors_learn,

    .lines_begin = lines_api_begin,
    .lines_mark = lines_api_mark,
    .lines_wait_for = lines_api_wait_for,
    .lines_functions = lines_monitor_functions,
    .lines_clear = lines_clear,
    .lines_attend = adapter_visit,

    .js_enter = stack_js_enter,
    .js_leave = stack_js_leave,
    .js_heap = adapter_js_heap,
    .js_collections = stack_js_collections,
    .js_kept = stack_js_kept,
    .js_kept_by_request = stack_js_thorough,
    .js_collect = asking_collect_js,
    .js_exposed = v8_exposed,
    .js_on_collected = asking_on_collected,
    .js_on_snapshot = asking_on_snapshot,
    .js_quiet = adapter_js_quiet,

    .js_stack = adapter_js_stack,
    .js_born = adapter_js_born,
    .js_died = adapter_js_died,
    .js_held = adapter_js_held,
    .js_objects = adapter_js_objects,
    .js_launch = adapter_js_launch,
    .js_script_keep = adapter_js_keep_script,
    .js_script_wanted = script_text_wanted,

    .js_interrupt_begin = adapter_js_interrupt_begin,
    .js_interrupt_end = adapter_js_interrupt_end,
    .js_work_over = step_over,

    .js_charge = asking_charge,
    .js_worker_over = adapter_js_worker_over,

    .device_sync_begin = adapter_sync_begin,
    .device_sync_end = adapter_sync_end,

    .device_find = hooks_torch_resolve,
    .device_born = adapter_device_born,
    .device_died = device_memory_returned,
    .device_pool = device_memory_pool,
    .device_says = adapter_device_says,

    .js_pause_most = snapshots_pause_most,
    .js_no_snapshot = snapshots_refuse,
};
