/* handoff.c - see handoff.h. */
#include "probe/record/handoff.h"

#include <string.h>

#include "probe/record/remembered.h"
#include "probe/unwind/row_cache_pure.h"

static uint32_t published;          /* atomic: stack id */
static uint8_t known[ROW_MODULES];  /* remembered.h; a ledger has no more modules */

/* How the file names begin of libraries that keep threads for their work. */
static const char *const workers[] = {"libtensorflow", "_pywrap_tensorflow", "libpywrap_tensorflow",
                                      "libjax_common", "xla_extension", "_jax"};

void handoff_publish(uint32_t stack)
{
    __atomic_store_n(&published, stack, __ATOMIC_RELEASE);
}

uint32_t handoff_stack(void)
{
    return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* The text lies in the ledger's strings, terminated (ledger_string). */
static bool is_worker_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
        if (begins(name, workers[i]))
            return true;
    return false;
}

static bool is_worker(const struct ledger *ledger, uint32_t place)
{
    const struct module_record *record = ledger_records(ledger, SECTION_modules);
    const char *path = ledger_text(ledger, record[place].path);

    return path && is_worker_path(path);
}

bool handoff_is_worker(const struct ledger *ledger, const struct native_frame *frames,
                      unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (remembered(known, ROW_MODULES, frames[i].unit, is_worker, ledger))
            return true;
    return false;
}

void handoff_forked(void)
{
    published = 0;
    memset(known, 0, sizeof(known));
}
