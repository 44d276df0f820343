/* helper.c - see helper.h. */
#include "doctor/held/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/search_path.h"
#include "base/text.h"

/* A language in which helpers are written. */
struct helper_language {
    const char *folder;   /* folder of tare's scripts in this language */
    const char *begins;   /* how the name of its interpreter begins */
    const char *fallback; /* the interpreter to look for in PATH if the program is not one */
};

#define ANSWER_LIMIT (1024u * 1024u)

extern char **environ;

/* ---- paths ---- */

/* Finds the script: next to the tare program that was built, or in PREFIX/lib/tare. */
static bool script_path(char path[PATH_MAX], const char *folder, const char *script)
{
    static const char *const folders[] = {"", "/../lib/tare"};
    char own[PATH_MAX];
    char *slash;

    if (!realpath("/proc/self/exe", own) || !(slash = strrchr(own, '/')))
        return false;
    *slash = 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const int length =
            snprintf(path, PATH_MAX, "%s%s/%s/%s", own, folders[i], folder, script);

        if (length > 0 && length < PATH_MAX && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* The program that this process started is an interpreter whose name begins with `name`. */
static bool is_interpreter(const char *program, const char *name)
{
    const char *slash = strrchr(program, '/');
    struct stat info;

    return slash && program[0] == '/' && strncmp(slash + 1, name, strlen(name)) == 0 &&
           stat(program, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_uid == 0 || info.st_uid == geteuid()) && !(info.st_mode & S_IWOTH) &&
           access(program, X_OK) == 0;
}

/* ---- the child ---- */

static bool is_ours(const char *variable)
{
    return text_begins(variable, "LD_PRELOAD=") || text_begins(variable, "TARE_") ||
           text_begins(variable, "PYTHON") || text_begins(variable, "NODE_");
}

/* The environment without variables that change an interpreter. The caller frees the list, not
 * its strings. */
static char **clean_environment(void)
{
    size_t count = 0, kept = 0;
    char **list;

    while (environ[count])
        count++;
    list = mem_zalloc_array(count + 1, sizeof(*list));
    for (size_t i = 0; list && i < count; i++)
        if (!is_ours(environ[i]))
            list[kept++] = environ[i];
    return list;
}

static void plain_signals(posix_spawnattr_t *attributes)
{
    sigset_t all, none;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setsigdefault(attributes, &all);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setpgroup(attributes, 0);
    (void)posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETPGROUP);
}

/* The script is for Node. Node needs no flag for isolation: it reads only the variables that
 * clean_environment() leaves out. */
static bool is_script(const char *path)
{
    return text_ends(path, ".cjs");
}

/* Starts the helper with `end` as standard input and output; its error output is dropped.
 * Returns its pid; 0: it could not be started. */
static pid_t start(const char *interpreter, const char *path, int end)
{
    const char *isolated[] = {interpreter, "-I", "-S", path, NULL};
    const char *plain[] = {interpreter, path, NULL};
    const char **words = is_script(path) ? plain : isolated;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char **environment = clean_environment();
    pid_t pid = 0;

    if (!environment || posix_spawn_file_actions_init(&actions) != 0) {
        mem_free(environment);
        return 0;
    }
    if (posix_spawnattr_init(&attributes) == 0) {
        plain_signals(&attributes);
        /* The helper runs in "/": a wrapper of the interpreter may read settings from the
         * current directory, which may be a run from somebody else. */
        if (posix_spawn_file_actions_addchdir_np(&actions, "/") != 0 ||
            posix_spawn_file_actions_adddup2(&actions, end, 0) != 0 ||
            posix_spawn_file_actions_adddup2(&actions, end, 1) != 0 ||
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) != 0 ||
            posix_spawn(&pid, interpreter, &actions, &attributes,
                         (char *const *)(uintptr_t)words, environment) != 0)
            pid = 0;
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    mem_free(environment);
    return pid;
}

/* ---- question and answer ---- */

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Sends more of the question and advances `*sent`. Closes this direction when all is sent.
 * False: an error. */
static bool push(int fd, const struct text *question, size_t *sent)
{
    const ssize_t put = send(fd, question->bytes + *sent, question->length - *sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);

    if (put < 0)
        return errno == EAGAIN || errno == EINTR;
    *sent += (size_t)put;
    if (*sent == question->length)
        (void)shutdown(fd, SHUT_WR);
    return true;
}

/* Reads more of the answer. 1: more may come; 0: the end; -1: an error. */
static int pull(int fd, struct text *answer)
{
    char bytes[4096];
    const ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 1 : -1;
    text_add(answer, bytes, (size_t)got);
    return answer->failed || answer->length > ANSWER_LIMIT ? -1 : got > 0;
}

static bool talk(int fd, const struct text *question, struct text *answer, uint64_t deadline)
{
    size_t sent = 0;
    int more = 1;

    while (more == 1) {
        const uint64_t now = now_ms();
        struct pollfd wait = {
            .fd = fd, .events = (short)(POLLIN | (sent < question->length ? POLLOUT : 0))};

        if (now >= deadline || (poll(&wait, 1, (int)(deadline - now)) < 0 && errno != EINTR))
            return false;
        if (wait.revents & POLLOUT && sent < question->length && !push(fd, question, &sent))
            return false;
        if (wait.revents & (POLLIN | POLLHUP | POLLERR))
            more = pull(fd, answer);
    }
    return more == 0;
}

/* Waits for the helper to end, and kills it at the deadline. Returns its status; -1: not known. */
static int wait_or_kill(pid_t pid, uint64_t deadline)
{
    int status = -1;
    pid_t done;

    while ((done = waitpid(pid, &status, WNOHANG)) == 0 && now_ms() < deadline)
        (void)poll(NULL, 0, 2);
    if (done == 0) {
        (void)kill(-pid, SIGKILL);
        (void)kill(pid, SIGKILL);
        while ((done = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
            ;
    }
    return done == pid ? status : -1;
}

bool helper_run(const char *interpreter, const char *path, const struct text *question,
                struct text *answer, unsigned limit_ms)
{
    const uint64_t deadline = now_ms() + limit_ms;
    int ends[2], status;
    bool answered;
    pid_t pid;

    if (question->failed || question->length == 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pid = start(interpreter, path, ends[1]);
    (void)close(ends[1]);
    if (pid == 0) {
        (void)close(ends[0]);
        return false;
    }
    answered = talk(ends[0], question, answer, deadline);
    (void)close(ends[0]);
    status = wait_or_kill(pid, answered ? deadline : 0);
    return answered && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool ask(const char *program, const struct helper_language *language, const char *script,
                const struct text *question, struct text *answer)
{
    char path[PATH_MAX], own[PATH_MAX];

    if (!script_path(path, language->folder, script))
        return false;
    if (program && is_interpreter(program, language->begins) &&
        helper_run(program, path, question, answer, HELPER_MS))
        return true;
    text_free(answer);
    *answer = (struct text){0};
    return search_path(own, language->fallback) &&
           helper_run(own, path, question, answer, HELPER_MS);
}

bool helper_ask(const char *program, const char *script, const struct text *question,
                struct text *answer)
{
    static const struct helper_language python = {"python", "python", "python3"};

    return ask(program, &python, script, question, answer);
}

bool helper_ask_node(const char *program, const char *script, const struct text *question,
                     struct text *answer)
{
    static const struct helper_language node = {"node", "node", "node"};

    return ask(program, &node, script, question, answer);
}
