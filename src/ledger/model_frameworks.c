/* model_frameworks.c - what frameworks keep for themselves: compiled functions, registries, pools, memory of
 * devices. */
#include "ledger/model_parts.h"

int load_traces(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_traces);
    const int err = TAKE_ARRAY(m->traces, records, "traces", why);

    for (uint64_t i = 0; !err && i < records; i++) {
        struct model_trace *trace = &m->traces[m->trace_count];
        struct trace_record raw;

        if (!reader_get(r, SECTION_traces, i, &raw, sizeof(raw)))
            break;
        *trace = (struct model_trace){.function = model_text(m, raw.function, ""),
                                      .file = model_text(m, raw.file, ""),
                                      .line = raw.line,
                                      .call_file = model_text(m, raw.call_file, ""),
                                      .call_line = raw.call_line,
                                      .argument = model_text(m, raw.argument, ""),
                                      .change = raw.change,
                                      .count = raw.count,
                                      .live = raw.live,
                                      .first = raw.first,
                                      .last = raw.last};
        trace->recent_count = raw.count < LEDGER_RECENT ? (size_t)raw.count : LEDGER_RECENT;
        for (size_t k = 0; k < trace->recent_count; k++)
            trace->recent[k] = raw.recent[(raw.count - trace->recent_count + k) % LEDGER_RECENT];
        m->trace_count++;
    }
    return err;
}

int load_registries(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_registries);
    const int err = TAKE_ARRAY(m->registries, records, "registries", why);

    for (uint64_t i = 0; !err && i < records; i++) {
        struct registry_record raw;
        const char *name;

        if (!reader_get(r, SECTION_registries, i, &raw, sizeof(raw)) || raw.name == 0)
            continue;
        name = model_text(m, raw.name, "");
        m->registries[m->registry_count++] =
            (struct model_registry){.name = name, .store = known_text_of(name, true), .record = raw};
    }
    return err;
}

int load_pools(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_pools);
    const int err = TAKE_ARRAY(m->pools, records, "pools", why);

    for (uint64_t i = 0; !err && i < records; i++) {
        struct pool_record raw;

        if (!reader_get(r, SECTION_pools, i, &raw, sizeof(raw)) || raw.name == 0)
            continue;
        m->pools[m->pool_count++] =
            (struct model_pool){.name = model_text(m, raw.name, ""), .record = raw};
    }
    return err;
}

int load_devices(struct model *m, const struct reader *r, struct why *why)
{
    const uint64_t records = reader_count(r, SECTION_devices);
    const int err = TAKE_ARRAY(m->devices, records, "devices", why);

    for (uint64_t i = 0; !err && i < records; i++) {
        struct device_record raw;

        if (!reader_get(r, SECTION_devices, i, &raw, sizeof(raw)) || raw.kind == 0)
            continue;
        m->devices[m->device_count++] =
            (struct model_device){.name = model_text(m, raw.name, ""), .record = raw};
    }
    return err;
}
