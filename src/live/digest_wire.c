/* digest_wire.c - a digest as bytes, to a pipe and back; its memory and its curves. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "ledger/model.h"
#include "live/digest_parts.h"

#define DIGEST_MARK 0x31746c6574617265ull /* in the byte order of this machine, which the bytes never leave */
#define COUNT_MAX   (1u << 20)            /* entries of any array */

void digest_free(struct digest *digest)
{
    mem_free(digest->processes);
    mem_free(digest->findings);
    mem_free(digest->sites);
    mem_free(digest->points);
    text_free(&digest->texts);
    *digest = (struct digest){0};
}

const char *digest_text(const struct digest *digest, uint32_t text)
{
    return text < digest->texts.length ? digest->texts.bytes + text : "";
}

const struct digest_process *digest_main(const struct digest *digest)
{
    return digest->head.main < digest->head.process_count ? &digest->processes[digest->head.main]
                                                          : NULL;
}

/* ---- bytes ---- */

static int write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        const ssize_t done = write(fd, at, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return ERR_IO;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

int digest_write(const struct digest *digest, int fd)
{
    struct digest_head head = digest->head;
    int err;

    head.mark = DIGEST_MARK;
    head.text_size = digest->texts.length;
    err = write_all(fd, &head, sizeof(head));
    if (!err)
        err = write_all(fd, digest->processes, head.process_count * sizeof(*digest->processes));
    if (!err)
        err = write_all(fd, digest->findings, head.finding_count * sizeof(*digest->findings));
    if (!err)
        err = write_all(fd, digest->sites, head.site_count * sizeof(*digest->sites));
    if (!err)
        err = write_all(fd, digest->points, head.point_count * sizeof(*digest->points));
    return err ? err : write_all(fd, digest->texts.bytes, digest->texts.length);
}

/* The next `count` records. NULL: no memory. The total size is already checked. */
static void *take(const uint8_t **at, uint64_t count, size_t size)
{
    void *copy = mem_zalloc_array((size_t)count + 1, size);

    if (copy && count > 0)
        memcpy(copy, *at, (size_t)count * size);
    *at += count * size;
    return copy;
}

static bool adds_up(const struct digest_head *head, size_t size)
{
    if (head->mark != DIGEST_MARK || head->process_count > COUNT_MAX ||
        head->finding_count > COUNT_MAX || head->site_count > COUNT_MAX ||
        head->point_count > DIGEST_POINTS || head->text_size > size ||
        head->verdict > KIND_retained)
        return false;
    return sizeof(*head) + head->process_count * sizeof(struct digest_process) +
               head->finding_count * sizeof(struct digest_finding) +
               head->site_count * sizeof(struct digest_site) +
               head->point_count * sizeof(struct digest_point) + head->text_size ==
           size;
}

int digest_parse(struct digest *out, const void *bytes, size_t size, struct why *why)
{
    const uint8_t *at = bytes;
    struct digest_head head;

    *out = (struct digest){0};
    if (size < sizeof(head))
        return fail(why, ERR_TRUNCATED, "the judgement ended early: %zu bytes", size);
    memcpy(&head, at, sizeof(head));
    at += sizeof(head);
    if (!adds_up(&head, size))
        return fail(why, ERR_FORMAT, "the judgement is damaged");
    out->head = head;
    out->processes = take(&at, head.process_count, sizeof(*out->processes));
    out->findings = take(&at, head.finding_count, sizeof(*out->findings));
    out->sites = take(&at, head.site_count, sizeof(*out->sites));
    out->points = take(&at, head.point_count, sizeof(*out->points));
    text_add(&out->texts, (const char *)at, (size_t)head.text_size); /* adds the last terminator */
    for (uint64_t i = 0; out->processes && i < head.process_count; i++)
        out->processes[i].clock %= LEDGER_CLOCKS;
    if (out->processes && out->findings && out->sites && out->points && !out->texts.failed)
        return 0;
    digest_free(out);
    return fail(why, ERR_NOMEM, "no memory for the judgement");
}

/* ---- curves ---- */

static uint64_t last_time(const struct model *model)
{
    uint64_t time = model->head.start_mono;

    if (model->step_count > 0 && model->steps[model->step_count - 1].time > time)
        time = model->steps[model->step_count - 1].time;
    if (model->sample_count > 0 && model->samples[model->sample_count - 1].time > time)
        time = model->samples[model->sample_count - 1].time;
    return time;
}

static void find_span(const struct run *run, uint64_t *from, uint64_t *to)
{
    *from = run->own ? run->own->head.start_mono : UINT64_MAX;
    *to = run->own ? last_time(run->own) : 0;
    for (size_t i = 0; i < run->process_count; i++) {
        const struct model *model = run->processes[i];
        const uint64_t last = last_time(model);

        *from = model->head.start_mono < *from ? model->head.start_mono : *from;
        *to = last > *to ? last : *to;
    }
    if (*from > *to)
        *from = *to;
}

/* When a process ended, according to the ledgers; UINT64_MAX: it has not. */
static uint64_t end_of(const struct run *run, const struct model *model)
{
    for (size_t i = 0; run->own && i < run->own->process_count; i++)
        if (run->own->processes[i].pid == model->head.pid && run->own->processes[i].end > 0)
            return run->own->processes[i].end;
    return model->head.state == STATE_ENDED ? model->head.seen_mono : UINT64_MAX;
}

/* Adds the live bytes of one process: at each point, those of its last step before it. */
static void add_steps(struct digest *digest, const struct model *model, uint64_t end,
                      bool with_resident)
{
    size_t step = 0;

    for (size_t i = 0; i < digest->head.point_count; i++) {
        struct digest_point *point = &digest->points[i];

        while (step < model->step_count && model->steps[step].time <= point->time)
            step++;
        if (step == 0 || point->time > end)
            continue;
        point->live += model->steps[step - 1].live_bytes;
        if (with_resident)
            point->resident += model->steps[step - 1].resident;
    }
}

static void add_samples(struct digest *digest, const struct model *own)
{
    size_t sample = 0;

    for (size_t i = 0; i < digest->head.point_count; i++) {
        while (sample < own->sample_count && own->samples[sample].time <= digest->points[i].time)
            sample++;
        if (sample > 0)
            digest->points[i].resident = own->samples[sample - 1].resident;
    }
}

int digest_curves(struct digest *digest, const struct run *run, struct why *why)
{
    const bool sampled = run->own && run->own->sample_count > 0;
    uint64_t from, to;

    digest->points = mem_zalloc_array(DIGEST_POINTS, sizeof(*digest->points));
    if (!digest->points)
        return fail(why, ERR_NOMEM, "no memory for the curves");
    find_span(run, &from, &to);
    digest->head.started = from;
    digest->head.end = to;
    digest->head.point_count = DIGEST_POINTS;
    for (size_t i = 0; i < DIGEST_POINTS; i++)
        digest->points[i].time =
            from + (uint64_t)((double)(to - from) * (double)(i + 1) / DIGEST_POINTS);
    for (size_t i = 0; i < run->process_count; i++)
        add_steps(digest, run->processes[i], end_of(run, run->processes[i]), !sampled);
    if (sampled)
        add_samples(digest, run->own);
    return 0;
}
