/* doctor_mail.h - a program's mailbox as the doctor opens it: the program may cut it short, and
 * that must not end the doctor (base/guard.h). Not for the program's side. */
#ifndef TARE_LEDGER_DOCTOR_MAIL_H
#define TARE_LEDGER_DOCTOR_MAIL_H

#include "ledger/mailbox.h"

/* As mailbox_open and mailbox_close. */
struct mailbox *doctor_mail_open(int directory, const char *name, struct why *why);
void doctor_mail_close(struct mailbox *mail); /* accepts NULL */

#endif /* TARE_LEDGER_DOCTOR_MAIL_H */
