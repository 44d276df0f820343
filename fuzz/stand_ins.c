/* stand_ins.c - for fuzz_run.c: a page of a few bytes, and no helper.
 *
 * A helper is a process that answers one question. Helpers have their own tests; here none is available.
 */
#include <stddef.h>

#include "doctor/held/helper.h"
#include "report/view.h"

const unsigned char view_template[] = "<!doctype html><script>@TARE_DATA@</script>";
const size_t view_template_size = sizeof(view_template) - 1;

bool helper_ask(const char *program, const char *script, const struct text *question,
                struct text *answer)
{
    (void)program, (void)script, (void)question, (void)answer;
    return false;
}

bool helper_ask_node(const char *program, const char *script, const struct text *question,
                     struct text *answer)
{
    return helper_ask(program, script, question, answer);
}

bool helper_run(const char *interpreter, const char *script_path, const struct text *question,
                struct text *answer, unsigned limit_ms)
{
    (void)limit_ms;
    return helper_ask(interpreter, script_path, question, answer);
}
