/* patient.c - see patient.h. */
#include "run/watch/patient.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/system/proc.h"
#include "doctor/ask/doctor_mail.h"

void patients_init(struct patients *patients, struct ledger *ledger, const char *directory)
{
    *patients = (struct patients){.ledger = ledger};
    (void)snprintf(patients->sign, sizeof(patients->sign), "TARE_DIR=%s", directory);
    patients->has_sign = *directory != 0;
    proc_list(&patients->strangers);
}

void patients_fini(struct patients *patients)
{
    for (size_t i = 0; i < patients->count; i++)
        doctor_mail_close(patients->list[i].mail);
    mem_free(patients->list);
    mem_free(patients->strangers.list);
    *patients = (struct patients){0};
}

struct patient *patients_find(const struct patients *patients, pid_t pid)
{
    for (size_t i = 0; i < patients->count; i++)
        if (patients->list[i].pid == pid)
            return &patients->list[i];
    return NULL;
}

/* ---- their records ---- */

static void open_record(struct patients *patients, struct patient *patient, uint64_t start)
{
    struct process_record record = {.pid = (uint32_t)patient->pid,
                                    .parent_pid = (uint32_t)patient->parent,
                                    .start = start,
                                    .status = 0xffffffffu,
                                    .flags = patients->count == 0 ? PROCESS_ROOT : 0};
    uint32_t id;

    if (!patients->ledger->head)
        return;
    if (*patient->name)
        record.name = ledger_string(patients->ledger, patient->name, strlen(patient->name));
    id = ledger_append(patients->ledger, SECTION_processes, &record);
    if (id)
        patient->record =
            (struct process_record *)ledger_records(patients->ledger, SECTION_processes) + (id - 1);
    else
        patients->unrecorded++;
}

static void update_record(const struct patient *patient)
{
    if (!patient->record)
        return;
    __atomic_store_n(&patient->record->resident_last, patient->resident, __ATOMIC_RELEASE);
    __atomic_store_n(&patient->record->resident_peak, patient->peak, __ATOMIC_RELEASE);
}

void patient_untraced(struct patients *patients, struct patient *patient, const char *reason)
{
    if (patient->record && !patient->record->untraced)
        patient->record->untraced = ledger_string(patients->ledger, reason, strlen(reason));
}

/* ---- coming and going ---- */

static void learn(struct patients *patients, struct patient *patient, const struct proc_stat *stat)
{
    const bool renamed = strcmp(patient->name, stat->name) != 0;

    patient->parent = stat->parent;
    patient->ticks = stat->ticks;
    memcpy(patient->name, stat->name, sizeof(patient->name));
    if (renamed) {
        patient->renamed = mailbox_clock();
        patient->examined = false;
    }
    if (renamed && patient->record)
        patient->record->name =
            ledger_string(patients->ledger, patient->name, strlen(patient->name));
}

struct patient *patients_add(struct patients *patients, pid_t pid)
{
    struct patient *patient;
    struct proc_stat stat;
    uint64_t start = mailbox_clock();

    if (patients->count == patients->room) {
        const size_t room = patients->room ? patients->room * 2 : 16;
        void *list = mem_resize(patients->list, room, sizeof(*patients->list));

        if (!list)
            return NULL;
        patients->list = list;
        patients->room = room;
    }
    patient = &patients->list[patients->count];
    *patient = (struct patient){.pid = pid, .found = start, .renamed = start};
    if (proc_stat(pid, &stat)) {
        learn(patients, patient, &stat);
        start = proc_started(&stat);
    }
    open_record(patients, patient, start);
    patients->count++;
    return patient;
}

static void leave(struct patients *patients, size_t index)
{
    struct patient *patient = &patients->list[index];

    update_record(patient);
    if (patient->record)
        __atomic_store_n(&patient->record->end, mailbox_clock(), __ATOMIC_RELEASE);
    doctor_mail_close(patient->mail);
    *patient = patients->list[--patients->count];
}

/* ---- searching ---- */

struct newcomer {
    pid_t pid, parent;
    bool ours;
    bool unsure; /* it may be a copy made by the probe; that is not known yet */
};

/* Visits every process in `all` that is neither known nor a stranger. */
static size_t list_newcomers(const struct patients *patients, const struct pids *all,
                             struct newcomer *list, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count && count < room; i++) {
        const pid_t pid = all->list[i];
        struct proc_stat stat;

        if (!proc_listed(&patients->strangers, pid) && !patients_find(patients, pid) &&
            proc_stat(pid, &stat) && !proc_is_search(&stat))
            list[count++] = (struct newcomer){
                .pid = pid, .parent = stat.parent, .unsure = proc_may_be_search(&stat)};
    }
    return count;
}

static bool has_our_parent(const struct patients *patients, const struct newcomer *list,
                           size_t count, size_t which)
{
    const pid_t parent = list[which].parent;

    if (patients_find(patients, parent))
        return true;
    for (size_t i = 0; i < count; i++)
        if (list[i].ours && list[i].pid == parent)
            return true;
    return false;
}

/* A daemon may lose its parent before we see it, but its environment still names the run. */
static bool carries_sign(const struct patients *patients, pid_t pid)
{
    static char text[1 << 17];
    ssize_t length;
    char path[64];

    if (!patients->has_sign)
        return false;
    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    length = proc_read(path, text, sizeof(text));
    return length > 0 &&
           memmem(text, (size_t)length, patients->sign, strlen(patients->sign) + 1) != NULL;
}

/* A child may be listed before its parent, so this repeats until nothing is added. */
static void sort_out(struct patients *patients, struct newcomer *list, size_t count)
{
    bool again = true;

    for (size_t i = 0; i < count; i++)
        list[i].ours = carries_sign(patients, list[i].pid);
    while (again) {
        again = false;
        for (size_t i = 0; i < count; i++)
            if (!list[i].ours && has_our_parent(patients, list, count, i))
                again = list[i].ours = true;
    }
    for (size_t i = 0; i < count; i++)
        if (list[i].ours && !list[i].unsure)
            (void)patients_add(patients, list[i].pid);
}

static bool is_unsure(const struct newcomer *list, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].pid == pid)
            return list[i].unsure;
    return false;
}

/* Strangers need not be examined again. */
static void pass_over(struct patients *patients, struct pids *all, const struct newcomer *list,
                      size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->count; i++)
        if (!patients_find(patients, all->list[i]) && !is_unsure(list, count, all->list[i]))
            all->list[kept++] = all->list[i];
    all->count = kept;
    mem_free(patients->strangers.list);
    patients->strangers = *all;
}

/* exec changes the name. A pid with another start time is another process. */
static void look_again(struct patients *patients)
{
    for (size_t i = patients->count; i-- > 1;) {
        struct patient *patient = &patients->list[i];
        struct proc_stat stat;

        if (!proc_stat(patient->pid, &stat) || (patient->ticks && stat.ticks != patient->ticks) ||
            proc_is_search(&stat))
            leave(patients, i);
        else
            learn(patients, patient, &stat);
    }
}

void patients_search(struct patients *patients)
{
    struct newcomer list[512];
    struct pids all = {0};
    struct proc_stat stat;
    size_t count;

    if (patients->count == 0)
        return;
    if (proc_stat(patients->list[0].pid, &stat))
        learn(patients, &patients->list[0], &stat);
    look_again(patients);
    proc_list(&all);
    count = list_newcomers(patients, &all, list, sizeof(list) / sizeof(list[0]));
    sort_out(patients, list, count);
    pass_over(patients, &all, list, count);
}

/* ---- measuring ---- */

uint64_t patients_measure(struct patients *patients)
{
    uint64_t sum = 0;

    for (size_t i = patients->count; i-- > 0;) {
        struct patient *patient = &patients->list[i];

        if (proc_resident(patient->pid, &patient->resident)) {
            patient->peak = patient->resident > patient->peak ? patient->resident : patient->peak;
            sum += patient->resident;
            update_record(patient);
        } else if (i > 0) {
            leave(patients, i);
        }
    }
    return sum;
}

static void read_descriptors(struct patient *patient)
{
    struct process_record *record = patient->record;
    uint32_t count;

    if (!record || !proc_descriptors(patient->pid, &count))
        return;
    if (record->descriptors_first == 0)
        record->descriptors_first = count;
    if (count > record->descriptors_most)
        __atomic_store_n(&record->descriptors_most, count, __ATOMIC_RELEASE);
}

void patient_read_peak(struct patient *patient)
{
    uint64_t peak;

    read_descriptors(patient);
    if (!proc_peak(patient->pid, &peak))
        return;
    patient->peak = peak > patient->peak ? peak : patient->peak;
    update_record(patient);
}
