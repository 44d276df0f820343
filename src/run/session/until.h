/* until.h - `--until-verdict`: end the program once the doctor has nothing more to learn from it.
 *
 * A leak is settled when the doctor has the holders of all its sites, nothing is undecided, and
 * this has lasted UNTIL_HOLD_NS. A program without suspicion counts as clean after UNTIL_CALM_NS
 * and UNTIL_CALM_STEPS. Then the last requests are sent, as at an orderly end, because a signal may
 * leave no time for them; then SIGTERM to the root, and SIGKILL after UNTIL_GRACE_NS.
 */
#ifndef TARE_RUN_UNTIL_H
#define TARE_RUN_UNTIL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/watch/watch.h"

#define UNTIL_HOLD_NS    2000000000ull  /* a settled leak stays so for this long */
#define UNTIL_CALM_NS    10000000000ull /* clean: without suspicion for this long … */
#define UNTIL_CALM_STEPS 200            /* … and for as many ticks of the chosen clock */
#define UNTIL_GRACE_NS   5000000000ull  /* between SIGTERM and SIGKILL */

enum until_state { UNTIL_OFF, UNTIL_WATCHING, UNTIL_CLOSING, UNTIL_ASKED, UNTIL_KILLED };

struct until {
    enum until_state state;
    uint64_t deadline; /* of the last requests, then of the grace period */
    char reason[160];  /* why tare ended the program; "" before */
};

void until_init(struct until *until, bool wanted);

/* Called after each pass of the watch. */
void until_pass(struct until *until, struct watch *watch, pid_t root);

/* Did the program end with this wait status because of our signal? */
bool until_ended(const struct until *until, int status);

#endif /* TARE_RUN_UNTIL_H */
