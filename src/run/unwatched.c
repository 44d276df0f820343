/* unwatched.c - see unwatched.h. The bell may have been written by anyone: nothing in it is
 * trusted. */
#include "run/unwatched.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/carry.h"
#include "run/preflight.h"
#include "run/proc.h"

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
static void has_reason(struct watch *watch, const char *short_name)
{
    for (size_t i = 0; i < UNWATCHED_SLOTS; i++) {
        char name[UNWATCHED_NAME];

        if (read_slot(&watch->bell->unwatched[i], name) &&
            strncmp(name, short_name, SHORT_NAME) == 0) {
            watch->noted[i]++;
            return;
        }
    }
}

void unwatched_examine(struct watch *watch, uint64_t now)
{
    for (size_t i = 0; i < watch->patients.count; i++) {
        struct patient *patient = &watch->patients.list[i];
        char text[256];

        if (patient->examined || now - patient->renamed < EXAMINED_AFTER)
            continue;
        patient->examined = true;
        /* Its mailbox may be from the program that it ran before exec: the ledger decides. */
        if (!find_reason(patient, text, sizeof(text)) || proc_maps(patient->pid, LEDGER_SUFFIX))
            continue;
        patient_untraced(&watch->patients, patient, text);
        has_reason(watch, patient->name);
    }
}

/* ---- programs, from the bell ---- */

static void note_program(struct watch *watch, size_t index)
{
    const struct unwatched *slot = &watch->bell->unwatched[index];
    const uint32_t starts = __atomic_load_n(&slot->starts, __ATOMIC_RELAXED);
    const char *reason = carry_why(slot->reason);
    char name[UNWATCHED_NAME];

    if (!reason || starts <= watch->noted[index] || !read_slot(slot, name))
        return;
    if (starts - watch->noted[index] == 1)
        watch_note(watch, "%s was not traced: it %s", name, reason);
    else
        watch_note(watch, "%s was started %u times and not traced: it %s", name,
                   starts - watch->noted[index], reason);
}

static void note_confined(struct watch *watch)
{
    const uint32_t confined = __atomic_load_n(&watch->bell->confined, __ATOMIC_ACQUIRE);

    if (confined)
        watch_note(watch,
                   "%u of the processes were not watched: they were started with a filter of system "
                   "calls, which could kill them for one of the probe's",
                   confined);
}

void unwatched_note(struct watch *watch)
{
    const uint32_t more = __atomic_load_n(&watch->bell->unwatched_more, __ATOMIC_RELAXED);
    const uint32_t unrecorded = __atomic_load_n(&watch->bell->unrecorded, __ATOMIC_RELAXED);

    for (size_t i = 0; i < UNWATCHED_SLOTS; i++)
        note_program(watch, i);
    if (more)
        watch_note(watch, "other programs that cannot carry the probe were started %u times", more);
    note_confined(watch);
    if (unrecorded)
        watch_note(
            watch,
            "a process called exec again and again: %u of its programs ended too soon to be "
            "recorded",
            unrecorded);
}
