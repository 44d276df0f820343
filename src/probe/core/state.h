/* state.h - the shared state: is the probe on, which ledger, bell and mailbox, which step.
 *
 * The lifecycle (entry/life.h) writes these, all other rooms read them. Nothing here makes a system
 * call.
 */
#ifndef TARE_PROBE_STATE_H
#define TARE_PROBE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/mailbox.h"
#include "ledger/writer.h"

struct thread;

bool state_is_off(void); /* not begun yet, or switched off for good */

struct ledger *state_ledger_now(void); /* NULL: there is none yet, or it is closed */
struct mailbox *state_mailbox(void);   /* NULL: there is none yet, or it could not be made */
struct bell *state_bell(void);         /* NULL: the probe never began */
const char *state_directory(void);     /* absolute path of the run's directory */
int state_open_directory(void); /* opens it; -1: it is gone, or another user may write in it */

void state_lose(enum lost_reason reason, uint64_t count); /* does nothing without a ledger */

/* The ordinal of the step that is open now; the first is 1. */
uint64_t state_ordinal(void);

/* A module is being loaded: what happens now is set-up, not work. */
void state_loads(void);
bool state_loading(uint64_t now); /* was one loaded within the last 0.3 s? */

/* ---- of the lifecycle ---- */

/* The ledger, made now if it is due; NULL: not available. Call with the thread marked busy. */
struct ledger *state_ledger(void);
/* The calling thread's counters were wiped without a fork handler: this is a new process. */
void state_new_process(struct thread *self);

/* What the two above call. */
struct state_lifecycle {
    struct ledger *(*make_ledger)(void); /* the ledger, made now if it is due; NULL: not available */
    /* This process is new. `raw`: no fork handler has run. */
    void (*new_process)(struct thread *self, bool raw);
};

/* ---- only for the lifecycle ---- */

bool state_use_directory(const char *path); /* false: it is not absolute, or too long */
void state_use_bell(struct bell *bell);
void state_use_mailbox(struct mailbox *mail);
void state_begin(const struct state_lifecycle *lifecycle); /* switches the probe on */
void state_off(void);                                      /* switches it off: no ledger any more */
struct ledger *state_publish(struct ledger *ledger);       /* gives back the one before */
void state_next_ordinal(void);
void state_forked(void); /* a new process begins with step 1 */

#endif /* TARE_PROBE_STATE_H */
