/* unwatched.c - see unwatched.h. The bell may have been written by anyone: nothing in it is
 * trusted. */
#include "run/watch/unwatched.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/carry.h"
#include "run/start/preflight.h"
#include "run/system/proc.h"

#define EXAMINED_AFTER 1000000000ull /* ns in which a program must make its ledger */
#define SHORT_NAME 15 /* bytes that the kernel keeps of a process's name */

/* The name, terminated and without control characters. False: the slot is empty. */
static bool read_slot(const struct unwatched *slot, char name[UNWATCHED_NAME])
{
    if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != UNWATCHED_READY)
        return false;
    memcpy(name, slot->name, UNWATCHED_NAME);
    name[UNWATCHED_NAME - 1] = 0;
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?';
    return true;
}

/* ---- processes, from outside ---- */

/* Puts into `text` why the probe does not work in the process. False: nothing prevents it; a program that has
 * hardly allocated anything has no ledger either. */
static bool find_reason(const struct patient *patient, char *text, size_t size)
{
    const char *reason;
    char path[64];
    uint32_t user;

    (void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)patient->pid);
    reason = preflight_untraced(path);
    if (reason)
        (void)snprintf(text, size, "it %s", reason);
    else if (proc_user(patient->pid, &user) && user != geteuid())
        (void)snprintf(text, size,
                       "it runs as another user (id %u), who may not open the directory of the run", user);
    else
        return false;
    return true;
}

/* The run's ledger has the reason for this process, so no note about its program is needed. */
static void has_reason(struct unwatched_notes *notes, const struct bell *bell, const char *short_name)
{
    for (size_t i = 0; i < UNWATCHED_SLOTS; i++) {
        char name[UNWATCHED_NAME];

        if (read_slot(&bell->unwatched[i], name) &&
            strncmp(name, short_name, SHORT_NAME) == 0) {
            notes->noted[i]++;
            return;
        }
    }
}

void unwatched_examine(struct unwatched_notes *notes, struct patients *patients, const struct bell *bell,
                       uint64_t now)
{
    for (size_t i = 0; i < patients->count; i++) {
        struct patient *patient = &patients->list[i];
        char text[256];

        if (patient->examined || now - patient->renamed < EXAMINED_AFTER)
            continue;
        patient->examined = true;
        /* Its mailbox may be from the program that it ran before exec: the ledger decides. */
        if (!find_reason(patient, text, sizeof(text)) || proc_maps(patient->pid, LEDGER_SUFFIX))
            continue;
        patient_untraced(patients, patient, text);
        has_reason(notes, bell, patient->name);
    }
}

/* ---- programs, from the bell ---- */

static void note_program(const struct unwatched *slot, uint32_t noted, struct rundir *dir, uint64_t sample)
{
    const uint32_t starts = __atomic_load_n(&slot->starts, __ATOMIC_RELAXED);
    const char *reason = carry_why(slot->reason);
    char name[UNWATCHED_NAME];

    if (!reason || starts <= noted || !read_slot(slot, name))
        return;
    if (starts - noted == 1)
        rundir_note(dir, sample, "%s was not traced: it %s", name, reason);
    else
        rundir_note(dir, sample, "%s was started %u times and not traced: it %s", name, starts - noted,
                    reason);
}

void unwatched_note(const struct unwatched_notes *notes, const struct bell *bell, struct rundir *dir,
                    uint64_t sample)
{
    const uint32_t more = __atomic_load_n(&bell->unwatched_more, __ATOMIC_RELAXED);
    const uint32_t confined = __atomic_load_n(&bell->confined, __ATOMIC_ACQUIRE);
    const uint32_t unrecorded = __atomic_load_n(&bell->unrecorded, __ATOMIC_RELAXED);

    for (size_t i = 0; i < UNWATCHED_SLOTS; i++)
        note_program(&bell->unwatched[i], notes->noted[i], dir, sample);
    if (more)
        rundir_note(dir, sample, "other programs that cannot carry the probe were started %u times", more);
    if (confined)
        rundir_note(dir, sample,
                    "%u of the processes were not watched: they were started with a filter of system "
                    "calls, which could kill them for one of the probe's",
                    confined);
    if (unrecorded)
        rundir_note(dir, sample,
                    "a process called exec again and again: %u of its programs ended too soon to be "
                    "recorded",
                    unrecorded);
}
