/* script_text.c - see script_text.h. */
#include "probe/js/script_text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/owned.h"
#include "ledger/layout_scripts.h"
#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/js/v8.h"

#define SLOTS     4096 /* scripts remembered */
#define WINDOW    8    /* each is in one of this many places */
#define WIDEST    3    /* bytes of one of the engine's characters, at most */
#define NAME_MOST 4096

static struct {
    void *(*map_url)(void *frame);
    void *(*source)(void *frame);
    int (*length)(void *text);
    /* Either will do. */
    int (*text_old)(void *, void *, char *, int, int *, int);
    size_t (*text_new)(void *, void *, char *, size_t, int, size_t *);
} v8;

static uint64_t *met;    /* isolate and script, or a name; private pages that a fork wipes */
static uint64_t written; /* atomic: bytes; of a child that does not exec, those of its parent too */

void script_text_find(void)
{
    met = met ? met : own_map(SLOTS * sizeof(*met));
    (void)v8_symbol(V8_map_url, &v8.map_url);
    (void)v8_symbol(V8_source, &v8.source);
    (void)v8_symbol(V8_length, &v8.length);
    (void)v8_symbol(V8_text_old, &v8.text_old);
    (void)v8_symbol(V8_text_new, &v8.text_new);
}

static bool is_ready(void)
{
    return v8.map_url && v8.source && v8.length && (v8.text_old || v8.text_new) && met;
}

/* A full window forgets one script, which is then examined, and perhaps kept, a second time. */
static bool is_new(uint64_t key)
{
    uint64_t *window = &met[(key * 0x9E3779B97F4A7C15ull >> 32) % (SLOTS - WINDOW)];
    unsigned at = 0;

    for (; at < WINDOW; at++) {
        uint64_t seen = 0;

        if (__atomic_compare_exchange_n(&window[at], &seen, key, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
        if (seen == key)
            return false;
    }
    __atomic_store_n(&window[key % WINDOW], key, __ATOMIC_RELAXED);
    return true;
}

static uint64_t key_of(uint32_t isolate, uint32_t script)
{
    return (uint64_t)isolate << 32 | script;
}

static uint64_t key_of_name(const char *name)
{
    uint64_t hash = 1;

    while (*name)
        hash = (hash ^ (uint8_t)*name++) * 0x9E3779B97F4A7C15ull;
    return hash | 1ull << 63;
}

/* ---- the file ---- */

/* Beside the ledger, by the same name; -1: it cannot be opened, or is another user's. */
static int open_beside(const struct ledger *ledger)
{
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int directory = state_open_directory();
    char name[LEDGER_NAME_MAX];
    struct stat info;
    int fd;

    if (directory < 0)
        return -1;
    ledger_name(name, ledger->head->pid, ledger->head->generation, SCRIPTS_SUFFIX);
    fd = quiet_open(directory, name, flags, 0600);
    quiet_close(directory);
    if (fd < 0 || (fstat(fd, &info) == 0 && owned_file(&info)))
        return fd;
    quiet_close(fd);
    return -1;
}

/* One call, so that records of threads do not mix. What was cut off ends the file. */
static bool append(const struct ledger *ledger, const struct iovec parts[3], size_t size)
{
    const int fd = open_beside(ledger);
    long done;

    if (fd < 0)
        return false;
    done = syscall(SYS_writev, fd, parts, 3);
    quiet_close(fd);
    return done == (long)size;
}

/* What the file holds needs not be kept. A text that was made from it, with a map, has another size. */
static bool is_file(const char *name, size_t size)
{
    const char *path = strncmp(name, "file://", 7) == 0 ? name + 7 : name;
    struct stat info;

    return path[0] == '/' && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           (size_t)info.st_size == size;
}

static void keep(struct ledger *ledger, const char *name, const char *text, size_t size)
{
    struct script_text_record record = {.path_bytes = (uint32_t)strlen(name),
                                        .text_bytes = (uint32_t)size};
    struct iovec parts[3] = {{&record, sizeof(record)}, {NULL, record.path_bytes}, {NULL, size}};
    const size_t all = sizeof(record) + record.path_bytes + size;

    if (size == 0 || size > SCRIPTS_ONE_MAX || record.path_bytes > NAME_MOST || is_file(name, size))
        return;
    memcpy(record.magic, SCRIPTS_MAGIC, sizeof(record.magic));
    memcpy(&parts[1].iov_base, &name, sizeof(name));
    memcpy(&parts[2].iov_base, &text, sizeof(text));
    if (__atomic_add_fetch(&written, all, __ATOMIC_RELAXED) > SCRIPTS_ALL_MAX ||
        !quiet_may_reach(SCRIPTS_ALL_MAX) || !append(ledger, parts, all))
        __atomic_store_n(&written, SCRIPTS_ALL_MAX, __ATOMIC_RELAXED); /* no more of them */
}

/* ---- what V8 has ---- */

static size_t copy(void *isolate, void *text, char *out, size_t room)
{
    return v8.text_old ? (size_t)v8.text_old(text, isolate, out, (int)room, NULL, 0)
                       : v8.text_new(text, isolate, out, room, 0, NULL);
}

static bool has_map_within(void *isolate, void *frame)
{
    static const char begins[] = "data:";
    void *url = v8.map_url(frame);
    char start[16] = {0};

    if (!url || v8.length(url) < (int)sizeof(start))
        return false;
    (void)copy(isolate, url, start, sizeof(start) - 1);
    return memcmp(start, begins, sizeof(begins) - 1) == 0;
}

void script_text_meet(struct ledger *ledger, void *isolate, uint32_t isolate_number, void *frame,
                      uint32_t script, const char *file)
{
    void *source;
    size_t room, size;
    char *text;

    if (!is_ready() || !is_new(key_of(isolate_number, script)))
        return;
    (void)is_new(key_of_name(file));
    if (!has_map_within(isolate, frame))
        return;
    source = v8.source(frame);
    room = source ? (size_t)v8.length(source) * WIDEST + 1 : 0;
    if (room <= 1 || room > (size_t)SCRIPTS_ONE_MAX * WIDEST)
        return;
    text = raw_map(room);
    if (!text)
        return;
    size = copy(isolate, source, text, room);
    size -= size > 0 && text[size - 1] == 0; /* the older function counts its end, too */
    keep(ledger, file, text, size);
    (void)syscall(SYS_munmap, text, room);
}

/* ---- what the adapter has found ---- */

static __thread bool is_wanted;

static bool is_plain(const char *file)
{
    const size_t length = strlen(file);
    const char *end = length > 3 ? file + length - 3 : "";

    return strcmp(end, ".js") == 0 || strcmp(end, "cjs") == 0 || strcmp(end, "mjs") == 0;
}

void script_text_named(const char *file)
{
    if (is_ready() && !is_plain(file) && is_new(key_of_name(file)))
        is_wanted = true;
}

bool script_text_wanted(void)
{
    const bool was = is_wanted;

    is_wanted = false;
    return was;
}

void script_text_keep(uint32_t isolate_number, uint32_t script, const char *name, const char *text,
                      size_t size)
{
    const int saved = errno;
    struct ledger *ledger = state_ledger_now();

    if (ledger && name && text && met && is_new(key_of(isolate_number, script))) {
        (void)is_new(key_of_name(name));
        keep(ledger, name, text, size);
    }
    errno = saved;
}
