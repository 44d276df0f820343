/* doctor_mail.h - the doctor's way to open a mailbox: the program may cut the file short, which
 * must not end the doctor (base/guard.h). Not for the program's side. */
#ifndef TARE_DOCTOR_MAIL_H
#define TARE_DOCTOR_MAIL_H

#include "ledger/mailbox.h"

/* As mailbox_open and mailbox_close. */
struct mailbox *doctor_mail_open(int directory, const char *name, struct why *why);
void doctor_mail_close(struct mailbox *mail); /* accepts NULL */

#endif /* TARE_DOCTOR_MAIL_H */
