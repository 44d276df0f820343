/* mails.h - notice the mailboxes that probes put into the run's directory. */
#ifndef TARE_RUN_MAILS_H
#define TARE_RUN_MAILS_H

#include <stddef.h>

#include "run/watch/patient.h"
#include "ledger/writer.h"

#define MAILS_WAITING 64

struct mails {
    int directory; /* borrowed; -1: there is none */
    int notify;    /* inotify descriptor; -1: the directory is listed instead */
    char waiting[MAILS_WAITING][LEDGER_NAME_MAX]; /* mailboxes that their probe has not filled yet */
    size_t waiting_count;
};

void mails_init(struct mails *mails, int directory, const char *path);
void mails_fini(struct mails *mails);

/* Opens every new mailbox and assigns it to its process, which is added if it is new. */
void mails_look(struct mails *mails, struct patients *patients);

#endif /* TARE_RUN_MAILS_H */
