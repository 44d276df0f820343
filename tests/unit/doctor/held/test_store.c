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
                                  "single 1\nvalue torch.Tensor\nchange 12 12 replace\n\n";

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

static const struct {
    const char *answer;
    size_t steps; /* of the path: 4 end in a graph, 2 in the container */
    const char *code;
} written[] = {
    {"append\ncontainer kept\nvalue torch.Tensor\nstored out\nhead kept.append(\ntail )\n"
     "change 1 1 replace\n", 4,
     "kept.append(out.detach())"},
    {"append\ncontainer kept\nvalue torch.Tensor\nstored out\nhead kept.append(\ntail )\n"
     "change 1 1 replace\n"
     "follow 1 1 after\ntype list\nlength 90\n", 4,
     "kept.append(out.detach())\ndel kept[:-20]  # if the newest 20 are enough"},
    {"append\ncontainer kept\nvalue torch.Tensor\nstored out\nhead kept.append(\ntail )\n"
     "change 1 1 replace\n"
     "graph 1\n", 4, NULL}, /* its gradients are needed, and its type is not known */
    {"append\ncontainer kept\nvalue torch.Tensor\nstored out\nhead kept.append(\ntail )\n"
     "change 1 1 replace\n"
     "none 1\n", 4, "kept.append((None if out is None else out.detach()))"},
    {"append\ncontainer kept\nvalue torch.Tensor\nstored l\nhead kept.append(\ntail )\n"
     "change 1 1 replace\n"
     "single 1\nobject 1\n", 4, "kept.append(l.detach())"},
    {"+=\ncontainer total\nvalue torch.Tensor\nstored loss\nhead total += \nsingle 1\n"
     "change 1 1 replace\n", 4,
     "total += loss.item()"},
    {"variable\ncontainer hidden\nstored f(hidden)\ntype Tensor\nagain 1\nfollow 1 1 after\n", 4,
     "hidden = hidden.detach()"},
    {"variable\ncontainer hidden\nstored f(hidden)\ntype list\nagain 1\nfollow 1 1 after\n", 4, NULL},
    {"append\ncontainer kept\nvalue mine.Output\nstored out\nhead kept.append(\ntail )\n"
     "change 1 1 replace\n", 4, NULL}, /* an object that has a tensor has no detach() */
    {"append\ncontainer parts\nstored x[3:4]\nhead parts.append(\ntail )\nslice 1\nvalue list\n"
     "change 1 1 replace\n", 3, NULL},
    {"variable\ncontainer loss\nstored g(out)\ncarried h\ncarry 9 9 after\n", 4,
     "h = tuple(part.detach() for part in h) if isinstance(h, tuple) else h.detach()"},
    {"variable\ncontainer loss\nstored g(out)\nhead loss = \nchange 1 1 replace\n", 4, NULL},
    {"attribute\ncontainer self.h\nstored f(self.h)\ntype Tensor\nagain 1\nfollow 1 1 after\n", 4,
     "self.h = self.h.detach()"},
    {"append\ncontainer rows\nstored row\nhead rows.append(\ntail )\ntype list\nlength 40000\n"
     "follow 1 1 after\n", 2, "del rows[:-1000]  # if the newest 1000 are enough"},
    {"append\ncontainer rows\nstored row\nhead rows.append(\ntail )\ntype list\nindexed 1\n"
     "follow 1 1 after\n", 2, NULL},
    {"append\ncontainer rows\nstored row\ntype mine.Rows\nfollow 1 1 after\n", 2, NULL},
    {"append\ncontainer rows\nstored row\ntype list\n", 2, NULL}, /* it has no place */
    {"append\ncontainer parts\nstored x[3:4]\nvalue torch.Tensor\nhead parts.append(\ntail )\nslice 1\n"
     "change 1 1 replace\n", 3, "parts.append(x[3:4].clone())"},
    {"cache\ncontainer lru_cache(maxsize=None)\nlimited @lru_cache\nlength 400\n"
     "decorator 1 1 replace\n", 2, "@lru_cache(maxsize=100)"},
    {"cache\ncontainer cache\nlimited @lru_cache\nimports from functools import lru_cache\n"
     "decorator 1 1 replace\n", 2,
     "from functools import lru_cache\n@lru_cache(maxsize=100)"},
    {"cache\ncontainer cachetools.cached(store)\n", 2, NULL},
    {"register\ncontainer net\nstored g\nhead net.register_hook(\ntail )\n", 2, NULL},
    {"register\ncontainer log\nstored h\nhead log.addHandler(\ntail )\nfinish 9 9 before\n", 2,
     "log.removeHandler(h)"},
    {"item\ncontainer seen\nkey k\nstored v\nhead seen[k] = \ntype dict\nlength 500\n"
     "follow 1 1 after\n", 2,
     "while len(seen) > 100:  # if the newest 100 are enough\n    seen.pop(next(iter(seen)))"},
    {"add\ncontainer seen\nstored v\nhead seen.add(\ntail )\ntype set\nremoved 1\n"
     "follow 1 1 after\n", 2, NULL},
    {"put\ncontainer q\nstored v\ntype Queue\nfollow 1 1 after\n", 2,
     "while q.qsize() > 100:  # if the newest 100 are enough\n    q.get_nowait()"},
    {"put\ncontainer q\nstored v\ntype multiprocessing.queues.Queue\nfollow 1 1 after\n", 2, NULL},
};

TEST(remedies_are_written_in_the_programs_own_names)
{
    for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
        char answer[400];
        const char *code;

        (void)snprintf(answer, sizeof(answer), "file f\nline 1\noperation %s\n", written[i].answer);
        code = answered(answer, written[i].steps).remedy.code;
        CHECK_TEXT(code ? code : "", written[i].code ? written[i].code : "");
    }
}

TEST(the_code_has_a_place)
{
    const struct finding finding =
        answered("file /src/a.py\nline 7\noperation append\ncontainer r\nstored x\ntype list\n"
                 "follow 7 9 after\n", 2);

    CHECK_TEXT(finding.remedy.file, "/src/a.py");
    CHECK_EQ(finding.remedy.span.first, 7);
    CHECK_EQ(finding.remedy.span.last, 9);
    CHECK_EQ(finding.remedy.span.where, FIX_AFTER);
    CHECK_EQ(answered("file f\nline 7\noperation append\ncontainer r\ntype list\n"
                      "follow 9 7 after\n", 2).remedy.span.where, FIX_NOWHERE);
    CHECK_EQ(answered("file f\nline 7\noperation append\ncontainer r\ntype list\n"
                      "follow 7 9 beside\n", 2).remedy.span.where, FIX_NOWHERE);
}

TEST(a_librarys_own_advice_is_taken_first)
{
    static struct holder_step figures[] = {
        {.kind = OWNER_MODULE, .name = "matplotlib._pylab_helpers", .type = "", .file = ""},
        {.kind = OWNER_ATTRIBUTE, .name = "Gcf", .type = "type", .file = ""},
        {.kind = OWNER_ATTRIBUTE, .name = "figs", .type = "OrderedDict", .file = "", .length = 40},
    };
    struct arena *arena = arena_new();
    struct finding finding = {.kind = KIND_retained, .holder_path = figures, .holder_count = 3};

    (void)store_read(&finding, "file f\nline 3\noperation call\nassigned fig\nmodule plt\ncalled subplots\n"
                               "finish 9 9 before\n\n", LANGUAGE_PYTHON, NULL, arena);
    CHECK_TEXT(remedy_of(&finding, arena).code, "plt.close(fig)");
    (void)store_read(&finding, "file f\nline 3\noperation call\nassigned fig\nmodule self\ncalled draw\n"
                               "finish 9 9 before\n\n", LANGUAGE_PYTHON, NULL, arena);
    CHECK(remedy_of(&finding, arena).code == NULL);
    arena_free(arena);
}

TEST(a_tensor_is_disposed_by_its_own_name)
{
    static const struct {
        const char *line, *code;
    } cases[] = {
        {"const sum = a.add(b);", "sum.dispose();"},   {"this.last = a.add(b);", "this.last.dispose();"},
        {"return a.add(b);", ""},                      {"const [sum] = split(a);", ""},
        {"const list = a.add(b).dataSync();", ""},     {"const list = await a.add(b).data();", ""},
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct place at = {.text = cases[i].line};
        const struct finding finding = {.advice = REMEDY_dispose, .allocated_at = &at, .allocated_count = 1};
        const char *code = remedy_of(&finding, arena).code;

        CHECK_TEXT(code ? code : "", cases[i].code);
    }
    arena_free(arena);
}

TEST(an_import_that_the_file_has_is_not_repeated)
{
    struct arena *arena = arena_new();
    struct finding finding = {.kind = KIND_gc_lag};

    (void)store_read(&finding, "file f\nline 3\noperation attribute\ncontainer c.up\nstored p\nhead c.up = \n"
                               "change 3 3 replace\n\n", LANGUAGE_PYTHON, NULL, arena);
    CHECK_TEXT(remedy_of(&finding, arena).code, "import weakref\nc.up = weakref.proxy(p)");
    (void)store_read(&finding, "file f\nline 3\noperation attribute\ncontainer c.up\nstored p\nhead c.up = \n"
                               "change 3 3 replace\nimported  gc weakref \n\n", LANGUAGE_PYTHON, NULL, arena);
    CHECK_TEXT(remedy_of(&finding, arena).code, "c.up = weakref.proxy(p)");
    arena_free(arena);
}

TEST(no_code_assigns_to_a_call)
{
    const struct finding finding = answered("file f\nline 1\noperation append\n"
                                            "container log.setdefault(name, [])\nstored row\n"
                                            "head log.setdefault(name, []).append(\ntail )\n", 2);

    CHECK_EQ(finding.advice, REMEDY_bound_words);
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
