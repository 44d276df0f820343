/* The helper that finds the store line: how it is asked, what is made of its answers. */
#include "doctor/held/store.h"
#include "doctor/say/remedies.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/held/helper.h"
#include "doctor/held/owners.h"
#include "test.h"

static const char *const append = "file /src/train.py\nline 12\nfunction main\noperation append\n"
                                  "container losses\nstored loss\nhead losses.append(\ntail )\n"
                                  "single 1\n\n";

static struct holder_step path[] = {
    {.kind = OWNER_MODULE, .name = "__main__", .type = "", .file = ""},
    {.kind = OWNER_ATTRIBUTE, .name = "losses", .type = "list", .file = "", .length = 90},
    {.kind = OWNER_INDEX, .name = "", .type = "torch.Tensor", .file = ""},
    {.kind = OWNER_ATTRIBUTE, .name = "grad_fn", .type = "MseLossBackward0", .file = ""},
};

/* A finding whose holder is the path above, as the answer says it is stored. */
static struct finding answered(const char *answer, size_t steps)
{
    static struct arena *arena;
    struct finding finding = {.kind = KIND_retained,
                              .holder_path = path,
                              .holder_count = steps,
                              .holder_growing = 1};

    if (!arena)
        arena = arena_new();
    (void)store_read(&finding, answer, LANGUAGE_PYTHON, NULL, arena);
    finding.remedy = remedy_of(&finding, arena);
    return finding;
}

TEST(an_answer_fills_the_finding)
{
    const struct finding finding = answered(append, 4);

    CHECK(finding.stored_at != NULL && finding.store != NULL);
    CHECK_TEXT(finding.stored_at->file, "/src/train.py");
    CHECK_EQ(finding.stored_at->line, 12);
    CHECK_TEXT(finding.stored_at->function, "main");
    CHECK_TEXT(finding.store->container, "losses");
    CHECK_TEXT(finding.remedy.code, "losses.append(loss.item())");
}

TEST(remedies_are_written_in_the_programs_own_names)
{
    static const struct {
        const char *answer;
        size_t steps; /* of the path: 4 end in a graph, 2 in the container */
        const char *code;
    } cases[] = {
        {"file f\nline 1\noperation append\ncontainer kept\nstored out\nhead kept.append(\ntail )\n", 4,
         "kept.append(out.detach())"},
        {"file f\nline 1\noperation +=\ncontainer total\nstored loss\nhead total += \nsingle 1\n", 4,
         "total += loss.item()"},
        {"file f\nline 1\noperation variable\ncontainer hidden\nstored f(hidden)\nagain 1\n", 4,
         "hidden = hidden.detach()"},
        {"file f\nline 1\noperation attribute\ncontainer self.h\nstored f(self.h)\nagain 1\n", 4,
         "self.h = self.h.detach()"},
        {"file f\nline 1\noperation append\ncontainer rows\nstored row\nhead rows.append(\ntail )\n", 2,
         "rows = collections.deque(maxlen=1000)"},
        {"file f\nline 1\noperation append\ncontainer parts\nstored x[3:4]\nhead parts.append(\ntail )\n"
         "slice 1\n", 3, "parts.append(x[3:4].clone())"},
        {"file f\nline 1\noperation cache\ncontainer lru_cache(maxsize=None)\n", 2,
         "@functools.lru_cache(maxsize=128)"},
        {"file f\nline 1\noperation register\ncontainer net\nstored g\nhead net.register_hook(\ntail )\n", 2,
         "handle = net.register_hook(g); handle.remove()"},
        {"file f\nline 1\noperation item\ncontainer seen\nkey k\nstored v\nhead seen[k] = \n", 2,
         "seen.pop(next(iter(seen)))  # the oldest, when it is full"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_TEXT(answered(cases[i].answer, cases[i].steps).remedy.code, cases[i].code);
}

TEST(no_code_assigns_to_a_call)
{
    const struct finding finding = answered("file f\nline 1\noperation append\n"
                                            "container log.setdefault(name, [])\nstored row\n"
                                            "head log.setdefault(name, []).append(\ntail )\n", 2);

    CHECK_EQ(finding.advice, REMEDY_bound_list);
    CHECK(finding.remedy.text != NULL && finding.remedy.code == NULL);
}

TEST(answers_that_are_none_change_nothing)
{
    static const char *const bad[] = {
        "", "\n", "\n\n", "file\nline\n\n", "file /x\n\n", "line 3\n\n", "file /x\nline 0\n\n",
        "file /x\nline -3\n\n", "file /x\nline 99999999999999999999\n\n", "file /x\nline 4", " \n \n",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct finding finding = answered(bad[i], 4);

        CHECK((finding.stored_at == NULL) == (i != 9)); /* the ninth only wants its last line's end */
    }
}

TEST(answers_are_read_one_after_the_other)
{
    struct arena *arena = arena_new();
    struct finding first = {.kind = KIND_retained}, second = {.kind = KIND_retained};
    const char *at = store_read(&first, "\nfile b.py\nline 7\n\n", LANGUAGE_PYTHON, NULL, arena);

    at = store_read(&second, at, LANGUAGE_PYTHON, NULL, arena);
    CHECK(first.stored_at == NULL && second.stored_at != NULL);
    CHECK_EQ(second.stored_at->line, 7);
    CHECK_EQ(*at, 0);
    arena_free(arena);
}

/* ---- the process ---- */

/* A script that stands for an interpreter; the options that it is given are its own affair. */
static const char *script(const char *body)
{
    static char file[300];
    int fd;

    (void)snprintf(file, sizeof(file), "%s/python-fake", test_directory());
    fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    CHECK(fd >= 0 && write(fd, body, strlen(body)) == (ssize_t)strlen(body));
    CHECK_EQ(close(fd), 0);
    return file;
}

static bool ask(const char *body, size_t bytes, struct text *answer, unsigned limit)
{
    struct text question = {0};
    bool ok;

    while (question.length < bytes)
        text_put(&question, "{\"questions\": []}");
    ok = helper_run(script(body), "x", &question, answer, limit);
    text_free(&question);
    return ok;
}

TEST(a_helper_answers_long_questions)
{
    struct text answer = {0};

    CHECK(ask("#!/bin/sh\nwc -c\n", 900000, &answer, 10000));
    CHECK(atol(text_string(&answer)) >= 900000);
    text_free(&answer);
}

TEST(a_helper_that_fails_is_no_answer)
{
    struct text answer = {0};

    CHECK(!ask("#!/bin/sh\nexit 3\n", 900000, &answer, 10000));
    CHECK(!ask("#!/bin/sh\nkill -9 $$\n", 100, &answer, 10000));
    CHECK(!ask("#!/bin/sh\ncat >/dev/null; yes\n", 100, &answer, 10000)); /* too much of it */
    CHECK(!helper_run("/nowhere/python3", "x", &(struct text){.bytes = answer.bytes, .length = 1},
                      &answer, 1000));
    text_free(&answer);
}

TEST(a_helper_that_hangs_is_ended_with_its_children)
{
    struct text answer = {0};
    struct timespec begin, end;

    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    CHECK(!ask("#!/bin/sh\nsleep 77 & sleep 78\n", 100, &answer, 300));
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK(end.tv_sec - begin.tv_sec < 20);
    text_free(&answer);
}
