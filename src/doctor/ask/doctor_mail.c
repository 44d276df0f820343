/* doctor_mail.c - see doctor_mail.h. */
#include "doctor/ask/doctor_mail.h"

#include "base/guard.h"

struct mailbox *doctor_mail_open(int directory, const char *name, struct why *why)
{
    struct mailbox *mail = mailbox_open(directory, name, why);

    if (mail && !guard_add(mail, MAILBOX_SIZE)) {
        (void)fail(why, ERR_NOMEM, "%s: no memory for the mailbox", name);
        mailbox_close(mail);
        mail = NULL;
    }
    return mail;
}

void doctor_mail_close(struct mailbox *mail)
{
    guard_remove(mail);
    mailbox_close(mail);
}
