/* greeting.c - see greeting.h. */
#include "probe/serve/greeting.h"

#include <string.h>

#include "probe/core/program.h"
#include "probe/core/state.h"
#include "probe/js/node_options.h"

#define GREETING_BYTES 120

static char greeting[GREETING_BYTES];
static uint8_t taken;  /* atomic: one adapter writes `greeting`, once */
static bool greeted;   /* atomic: `greeting` is complete */
static bool noted;     /* atomic: this process's ledger has it */
static bool missed;    /* atomic: this process's ledger says that no adapter came */

bool greeting_take(const char *what)
{
    if (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE))
        return false;
    strncpy(greeting, what, sizeof(greeting) - 1);
    return true;
}

void greeting_publish(void)
{
    __atomic_store_n(&greeted, true, __ATOMIC_SEQ_CST);
}

bool greeting_is_here(void)
{
    return __atomic_load_n(&greeted, __ATOMIC_ACQUIRE);
}

/* `greeted` and the ledger are each published before the other is read: of a thread that
 * greets and one that makes the ledger at least one sees both. */
void greeting_note(struct ledger *ledger)
{
    if (__atomic_load_n(&greeted, __ATOMIC_SEQ_CST) &&
        !__atomic_exchange_n(&noted, true, __ATOMIC_ACQ_REL))
        ledger_note(ledger, state_ordinal(), greeting);
}

void greeting_missed(struct ledger *ledger, uint64_t now, uint64_t grace)
{
    if (greeting_is_here() || now - ledger->head->start_mono < grace ||
        __atomic_exchange_n(&missed, true, __ATOMIC_ACQ_REL))
        return;
    if (node_options_left_out())
        ledger_note(ledger, state_ordinal(),
                    "This Node runs with its permission model or a policy, which do not let tare's "
                    "adapter load: memory was measured without JavaScript's lines and steps.");
    else if (program_is_node())
        ledger_note(ledger, state_ordinal(),
                    "This is Node, but tare's adapter was not loaded (a replaced NODE_OPTIONS, or a "
                    "build of Node that does not read it): its lines and steps were not seen.");
    if (program_is_python())
        ledger_note(ledger, state_ordinal(),
                    "This is Python, but tare's adapter was not loaded (the options -I, -E and -S "
                    "and a replaced PYTHONPATH prevent it): the steps of its frameworks were not "
                    "seen.");
}

void greeting_forked(void)
{
    noted = missed = false;
}
