/* adapter.c - see adapter.h. */
#include "probe/adapter.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probe/export.h"
#include "probe/life.h"
#include "probe/raw.h"
#include "probe/step.h"
#include "probe/symbol.h"
#include "probe/thread.h"

#define GREETING_BYTES 120
#define PROGRAM_BYTES 1024
#define LOADING_NS 1000000000u

static char greeting[GREETING_BYTES];
static uint8_t greeting_taken; /* atomic: one adapter writes `greeting`, once */
static bool greeted;           /* atomic: `greeting` is complete */
static bool noted;             /* atomic: this process's ledger has it */
static bool missed;            /* atomic: this process's ledger says that nobody came */

static struct thread *collecting_thread; /* atomic: the one that may call `collect`; NULL: none */
/* The interpreter's own, found when its adapter says hello; the last three are of 3.10 and later. */
static struct {
    long (*collect)(void);
    int (*enable)(void), (*disable)(void), (*is_enabled)(void);
} collector;
static uint64_t last_load;     /* atomic: time of the last word of it; 0: none */

static const bool known[LEDGER_CLOCKS] = {
#define CLOCK(number, name, says) [number] = true,
#include "ledger/clocks.def"
#undef CLOCK
};

/* Slices of time are the probe's own. */
static void tick(uint32_t clock)
{
    if (clock == CLOCK_time || clock >= LEDGER_CLOCKS || !known[clock])
        return;
    life_begin();
    step_tick((enum clock_id)clock);
}

/* `greeted` and the ledger are each published before the other is looked for: of a thread that
 * greets and one that makes the ledger at least one sees both. */
static void note_greeting(struct ledger *ledger)
{
    if (__atomic_load_n(&greeted, __ATOMIC_SEQ_CST) &&
        !__atomic_exchange_n(&noted, true, __ATOMIC_ACQ_REL))
        ledger_note(ledger, step_ordinal(), greeting);
}

/* The adapter calls from the program's own code: here a symbol may be looked for. */
static void find_collector(void)
{
    (void)symbol_find(RTLD_DEFAULT, "PyGC_Collect", &collector.collect);
    (void)symbol_find(RTLD_DEFAULT, "PyGC_Enable", &collector.enable);
    (void)symbol_find(RTLD_DEFAULT, "PyGC_Disable", &collector.disable);
    (void)symbol_find(RTLD_DEFAULT, "PyGC_IsEnabled", &collector.is_enabled);
}

/* A small process has no ledger, and a greeting is no reason to make one. */
static void hello(const char *what)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger;

    if (!what || __atomic_test_and_set(&greeting_taken, __ATOMIC_ACQUIRE))
        return;
    strncpy(greeting, what, sizeof(greeting) - 1);
    find_collector();
    __atomic_store_n(&greeted, true, __ATOMIC_SEQ_CST);
    life_begin();
    thread = thread_self ? thread_self : thread_attach();
    if (thread && !thread->busy && thread->alive == THREAD_ALIVE) {
        thread->busy = 1;
        ledger = life_ledger_now();
        if (ledger)
            note_greeting(ledger);
        thread->busy = 0;
    }
    errno = saved;
}

/* The interpreter is about to take itself down: what it holds now is what counts. The caller has
 * its lock, so that in this round, and on this thread, it may be asked to collect. */
static void end(void)
{
    __atomic_store_n(&collecting_thread, thread_self, __ATOMIC_RELEASE);
    life_end(true);
    __atomic_store_n(&collecting_thread, NULL, __ATOMIC_RELEASE);
}

bool adapter_collect(void)
{
    bool disabled;

    if (!collector.collect || !thread_self ||
        __atomic_load_n(&collecting_thread, __ATOMIC_ACQUIRE) != thread_self)
        return false;
    /* A collector that was switched off would not collect; it is switched off again behind us. */
    disabled = collector.is_enabled && collector.enable && collector.disable &&
               collector.is_enabled() == 0;
    if (disabled)
        (void)collector.enable();
    (void)collector.collect();
    if (disabled)
        (void)collector.disable();
    return true;
}

static void loading(void)
{
    __atomic_store_n(&last_load, raw_now(), __ATOMIC_RELAXED);
}

bool adapter_loading(uint64_t now)
{
    const uint64_t last = __atomic_load_n(&last_load, __ATOMIC_RELAXED);

    return last != 0 && (now < last || now - last < LOADING_NS);
}

void adapter_introduce(struct ledger *ledger)
{
    note_greeting(ledger);
}

/* By the name of the executable: python, python3, python3.11, python3.13t. */
static bool is_python(void)
{
    char path[PROGRAM_BYTES];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    const char *name;

    if (length <= 0)
        return false;
    path[length] = 0;
    name = strrchr(path, '/');
    name = name ? name + 1 : path;
    return strncmp(name, "python", 6) == 0 && (name[6] == 0 || (name[6] >= '0' && name[6] <= '9'));
}

void adapter_missed(struct ledger *ledger, uint64_t now, uint64_t grace)
{
    if (__atomic_load_n(&greeted, __ATOMIC_ACQUIRE) || now - ledger->head->start_mono < grace ||
        __atomic_exchange_n(&missed, true, __ATOMIC_ACQ_REL))
        return;
    if (is_python())
        ledger_note(ledger, step_ordinal(),
                    "This is Python, but tare's adapter was not loaded (the options -I, -E and -S "
                    "and a replaced PYTHONPATH prevent it): the steps of its frameworks were not "
                    "seen.");
}

void adapter_reset(void)
{
    noted = missed = false;
}

EXPORT extern const struct tare_adapter tare_adapter_v1;
const struct tare_adapter tare_adapter_v1 = {
    .tick = tick, .hello = hello, .loading = loading, .end = end};
