/* lines_python.c - see lines_python.h: the door for the adapter. */
#include "probe/lines_python.h"

#include "probe/adapter.h"
#include "probe/export.h"
#include "probe/life.h"
#include "probe/lines.h"
#include "probe/lines_api.h"
#include "probe/small_count.h"
#include "probe/step.h"

enum way { WAY_NONE = 0, WAY_EVALUATION = 1, WAY_MONITORING = 2 };

static int begin(void)
{
    static int way = -1;

    if (way >= 0)
        return way;
    way = WAY_NONE;
    if (life_is_off() || !lines_api_find())
        return way;
    (void)small_count_possible();
    if ((lines_python.version >> 16 & 0xff) >= 12)
        way = WAY_MONITORING;
    else if (lines_eval_install())
        way = WAY_EVALUATION;
    return way;
}

static int mark(void *code, const char *name, const char *file, int first_line, int locals)
{
    return begin() ? lines_api_mark(code, name, file, first_line, locals) : 0;
}

static int wait_for(void *name, void *decide)
{
    return begin() ? lines_api_wait_for(name, decide) : 0;
}

static void *functions(void *disable)
{
    return lines_monitor_functions(disable);
}

static void note(const char *text)
{
    struct ledger *ledger = life_ledger_now();

    if (ledger)
        ledger_note(ledger, step_ordinal(), text);
}

EXPORT extern const struct tare_lines tare_lines_v1;
const struct tare_lines tare_lines_v1 = {.begin = begin,
                                         .mark = mark,
                                         .wait_for = wait_for,
                                         .functions = functions,
                                         .clear = lines_clear,
                                         .note = note,
                                         .attend = adapter_visit};
