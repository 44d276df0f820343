/* state.c - see state.h. */
#include "probe/core/state.h"

#include <string.h>

#include "base/invariant.h"
#include "base/owned.h"
#include "probe/core/raw.h"

#define LOADING_NS 300000000u

static bool on; /* atomic: set once, cleared for good */
static struct ledger *ready; /* atomic: the ledger once it is complete */
static struct mailbox *mail;
static struct bell *bell;
static char directory[LEDGER_PATH_MAX];
static const struct state_lifecycle *calls; /* written before `on` */
static uint64_t ordinal = 1; /* atomic */
static uint64_t last_load;   /* atomic: when a module was last being loaded; 0: never */

bool state_is_off(void)
{
    return !__atomic_load_n(&on, __ATOMIC_ACQUIRE);
}

struct ledger *state_ledger_now(void)
{
    return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

struct mailbox *state_mailbox(void)
{
    return mail;
}

struct bell *state_bell(void)
{
    return bell;
}

const char *state_directory(void)
{
    return directory;
}

int state_open_directory(void)
{
    return owned_open(directory);
}

void state_lose(enum lost_reason reason, uint64_t count)
{
    struct ledger *now = state_ledger_now();

    if (now)
        ledger_lose(now, reason, count);
}

uint64_t state_ordinal(void)
{
    return __atomic_load_n(&ordinal, __ATOMIC_RELAXED);
}

void state_loads(void)
{
    __atomic_store_n(&last_load, raw_now(), __ATOMIC_RELAXED);
}

bool state_loading(uint64_t now)
{
    const uint64_t last = __atomic_load_n(&last_load, __ATOMIC_RELAXED);

    return last != 0 && (now < last || now - last < LOADING_NS);
}

struct ledger *state_ledger(void)
{
    struct ledger *now = state_ledger_now();

    return now || state_is_off() ? now : calls->make_ledger();
}

void state_new_process(struct thread *self)
{
    if (calls)
        calls->new_process(self, true);
}

/* ---- only for the lifecycle ---- */

bool state_use_directory(const char *path)
{
    const size_t length = strlen(path);

    if (path[0] != '/' || length >= sizeof(directory))
        return false;
    memcpy(directory, path, length + 1);
    return true;
}

void state_use_bell(struct bell *of_run)
{
    bell = of_run;
}

void state_use_mailbox(struct mailbox *of_process)
{
    mail = of_process;
}

void state_begin(const struct state_lifecycle *lifecycle)
{
    INVARIANT(lifecycle && state_is_off());
    calls = lifecycle;
    __atomic_store_n(&on, true, __ATOMIC_RELEASE);
}

void state_off(void)
{
    __atomic_store_n(&on, false, __ATOMIC_RELAXED);
    __atomic_store_n(&ready, NULL, __ATOMIC_RELEASE);
}

struct ledger *state_publish(struct ledger *ledger)
{
    return __atomic_exchange_n(&ready, ledger, __ATOMIC_SEQ_CST);
}

void state_next_ordinal(void)
{
    __atomic_store_n(&ordinal, ordinal + 1, __ATOMIC_RELEASE);
}

void state_forked(void)
{
    ordinal = 1;
}
