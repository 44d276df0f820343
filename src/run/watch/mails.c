/* mails.c - see mails.h. */
#include "run/watch/mails.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "run/system/proc.h"
#include "doctor/ask/doctor_mail.h"

void mails_init(struct mails *mails, int directory, const char *path)
{
    mails->directory = directory;
    mails->notify = -1;
    mails->waiting_count = 0;
    if (directory < 0)
        return;
    mails->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (mails->notify >= 0 && inotify_add_watch(mails->notify, path, IN_CREATE | IN_ONLYDIR) < 0) {
        (void)close(mails->notify);
        mails->notify = -1;
    }
}

void mails_fini(struct mails *mails)
{
    if (mails->notify >= 0)
        (void)close(mails->notify);
    mails->notify = -1;
}

/* "PID.GENERATION.mail" and nothing else. */
static bool parse(const char *name, pid_t *pid, uint32_t *generation)
{
    unsigned long first, second;
    char again[LEDGER_NAME_MAX];

    if (sscanf(name, "%lu.%lu", &first, &second) != 2 || first == 0 || first > 4194304 ||
        second > UINT32_MAX)
        return false;
    ledger_name(again, (uint32_t)first, (uint32_t)second, MAILBOX_SUFFIX);
    *pid = (pid_t)first;
    *generation = (uint32_t)second;
    return strcmp(name, again) == 0;
}

/* In its own pid namespace a process writes the number that it has there. Here, another process may have that
 * number; one that started before the program cannot be the writer. */
static bool predates(const struct patients *patients, pid_t pid)
{
    struct proc_stat stat;

    return patients->count > 0 && proc_stat(pid, &stat) && stat.ticks < patients->list[0].ticks;
}

/* False: the mailbox exists but is not filled yet. */
static bool open_one(struct mails *mails, struct patients *patients, const char *name)
{
    struct patient *patient;
    struct mailbox *mail;
    uint32_t generation;
    struct why why;
    pid_t pid;

    if (!parse(name, &pid, &generation))
        return true;
    patient = patients_find(patients, pid);
    if (patient && patient->mail && generation <= patient->generation)
        return true;
    if (!patient && kill(pid, 0) != 0 && errno == ESRCH)
        return true; /* the process has already ended; its ledger remains */
    if (!patient && predates(patients, pid))
        return true;
    mail = doctor_mail_open(mails->directory, name, &why);
    if (!mail)
        return false;
    if (!patient)
        patient = patients_add(patients, pid);
    if (!patient) {
        doctor_mail_close(mail);
        return true;
    }
    doctor_mail_close(patient->mail);
    patient->mail = mail;
    round_init(&patient->round);
    patient->dose = (struct dose){0};
    patient->generation = generation;
    return true;
}

static void meet(struct mails *mails, struct patients *patients, const char *name)
{
    if (!open_one(mails, patients, name) && mails->waiting_count < MAILS_WAITING &&
        strlen(name) < LEDGER_NAME_MAX)
        (void)snprintf(mails->waiting[mails->waiting_count++], LEDGER_NAME_MAX, "%s", name);
}

static void try_again(struct mails *mails, struct patients *patients)
{
    size_t kept = 0;

    for (size_t i = 0; i < mails->waiting_count; i++)
        if (!open_one(mails, patients, mails->waiting[i]) &&
            faccessat(mails->directory, mails->waiting[i], F_OK, 0) == 0)
            memmove(mails->waiting[kept++], mails->waiting[i], LEDGER_NAME_MAX);
    mails->waiting_count = kept;
}

/* Without inotify: lists the whole directory each time. */
static void list_all(struct mails *mails, struct patients *patients)
{
    const int fd = openat(mails->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (list && (entry = readdir(list)) != NULL)
        (void)open_one(mails, patients, entry->d_name);
    if (list)
        (void)closedir(list);
    else if (fd >= 0)
        (void)close(fd);
}

static void read_news(struct mails *mails, struct patients *patients)
{
    _Alignas(struct inotify_event) char news[16384];
    ssize_t length;

    while ((length = read(mails->notify, news, sizeof(news))) > 0) {
        const struct inotify_event *event;

        for (const char *at = news; at < news + length; at += sizeof(*event) + event->len) {
            event = (const struct inotify_event *)(const void *)at;
            if (event->mask & IN_Q_OVERFLOW)
                list_all(mails, patients);
            else if (event->len)
                meet(mails, patients, event->name);
        }
    }
}

void mails_look(struct mails *mails, struct patients *patients)
{
    if (mails->directory < 0)
        return;
    try_again(mails, patients);
    if (mails->notify >= 0)
        read_news(mails, patients);
    else
        list_all(mails, patients);
}
