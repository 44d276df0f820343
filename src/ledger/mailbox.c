/* mailbox.c - see mailbox.h. Runs on both sides: no heap, no stdio; the caller saves errno. */
#include "ledger/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/owned.h"

_Static_assert(sizeof(struct mailbox) <= MAILBOX_SIZE, "a mailbox is one page");
_Static_assert(sizeof(struct bell) <= MAILBOX_SIZE, "a bell is one page");

uint64_t mailbox_clock(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- pages ---- */

static void *map_page(int fd)
{
    void *page = mmap(NULL, MAILBOX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return page == MAP_FAILED ? NULL : page;
}

/* Takes room for the page: 0 or an errno. Writes zeros, because not every file system can reserve
 * room. */
static int take_page(int fd)
{
    static const char zeros[MAILBOX_SIZE];
    long done;

    if (!quiet_may_reach(MAILBOX_SIZE))
        return EFBIG;
    do
        done = quiet_write_at(fd, zeros, sizeof(zeros), 0);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        return errno;
    return done == (long)sizeof(zeros) ? 0 : ENOSPC;
}

static void *create_page(int directory, const char *name, struct why *why)
{
    const int fd =
        quiet_open(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    void *page = NULL;
    int error;

    if (fd < 0) {
        (void)fail(why, ERR_IO, "%s: %s", name, err_words(errno));
        return NULL;
    }
    error = take_page(fd);
    if (!error) {
        page = map_page(fd);
        error = page ? 0 : errno;
    }
    if (error) {
        (void)fail(why, ERR_IO, "%s: %s", name, err_words(error));
        (void)unlinkat(directory, name, 0);
    }
    quiet_close(fd);
    return page;
}

static void *open_page(int directory, const char *name, const char *magic, struct why *why)
{
    const int fd = quiet_open(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
    const uint32_t version = MAILBOX_VERSION;
    struct stat info;
    char *page = NULL;

    if (fd < 0) {
        (void)fail(why, ERR_IO, "%s: %s", name, err_words(errno));
        return NULL;
    }
    if (fstat(fd, &info) != 0 || !owned_file(&info)) {
        quiet_close(fd);
        (void)fail(why, ERR_FORMAT, "%s: not a file of the user that reads it", name);
        return NULL;
    }
    if (info.st_size == MAILBOX_SIZE)
        page = map_page(fd);
    quiet_close(fd);
    if (page && (memcmp(page, magic, 8) != 0 || memcmp(page + 8, &version, 4) != 0)) {
        (void)munmap(page, MAILBOX_SIZE);
        page = NULL;
    }
    if (!page)
        (void)fail(why, ERR_FORMAT, "%s: not a page of this version of tare", name);
    return page;
}

/* The magic is published last: a reader that sees it sees the rest. */
static void sign(char *page, const char *magic)
{
    uint64_t word;

    memcpy(&word, magic, sizeof(word));
    __atomic_store_n((uint64_t *)(void *)page, word, __ATOMIC_RELEASE);
}

struct mailbox *mailbox_create(int directory, const char *name, uint32_t pid, struct why *why)
{
    struct mailbox *mail = create_page(directory, name, why);

    if (mail) {
        mail->version = MAILBOX_VERSION;
        mail->pid = pid;
        sign(mail->magic, MAILBOX_MAGIC);
    }
    return mail;
}

struct mailbox *mailbox_open(int directory, const char *name, struct why *why)
{
    return open_page(directory, name, MAILBOX_MAGIC, why);
}

struct bell *bell_create(int directory, const struct bell *first, struct why *why)
{
    struct bell *bell = create_page(directory, BELL_NAME, why);

    if (bell) {
        *bell = *first;
        memset(bell->magic, 0, sizeof(bell->magic));
        bell->version = MAILBOX_VERSION;
        sign(bell->magic, BELL_MAGIC);
    }
    return bell;
}

struct bell *bell_open(int directory, struct why *why)
{
    return open_page(directory, BELL_NAME, BELL_MAGIC, why);
}

void mailbox_close(struct mailbox *mail)
{
    if (mail)
        (void)munmap(mail, MAILBOX_SIZE);
}

void bell_close(struct bell *bell)
{
    if (bell)
        (void)munmap(bell, MAILBOX_SIZE);
}

/* ---- futex ---- */

static void wake(uint32_t *word)
{
    (void)__atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
    (void)syscall(SYS_futex, word, FUTEX_WAKE, 1 << 20, NULL, NULL, 0);
}

static void wait_word(uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
    const struct timespec limit = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                                   .tv_nsec = (long)(timeout_ns % 1000000000u)};

    (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, NULL, 0);
}

/* ---- the sites of a request ---- */

#define SITE_BITS 21
#define SITE_MASK ((1u << SITE_BITS) - 1)
#define WORD_SITES 3

void mailbox_put_sites(uint64_t argument[4], const uint32_t *sites, size_t count)
{
    INVARIANT(count <= MAILBOX_SITES);
    memset(argument, 0, 4 * sizeof(argument[0]));
    for (size_t i = 0; i < count && i < MAILBOX_SITES; i++)
        argument[i / WORD_SITES] |= (uint64_t)(sites[i] & SITE_MASK) << i % WORD_SITES * SITE_BITS;
}

uint32_t mailbox_site(const uint64_t argument[4], unsigned index)
{
    return (uint32_t)(argument[index / WORD_SITES] >> index % WORD_SITES * SITE_BITS) & SITE_MASK;
}

/* ---- what holds ---- */

static bool is_known_kind(uint32_t kind)
{
    switch (kind) {
#define REQUEST(number, name, argument, answer, says) case number:
#include "ledger/requests.def"
#undef REQUEST
        return true;
    default:
        return false;
    }
}

bool mailbox_slot_is_valid(const struct request *slot)
{
    switch ((enum request_state)slot->state) {
    case REQUEST_FREE:
        return true;
    case REQUEST_CLAIMED:
    case REQUEST_ASKED:
    case REQUEST_TAKEN:
    case REQUEST_EXPIRED:
        return is_known_kind(slot->kind) && slot->answered == 0;
    case REQUEST_DONE:
    case REQUEST_REFUSED:
        return is_known_kind(slot->kind) && slot->answered != 0;
    }
    return false;
}

/* ---- the doctor's side ---- */

int mailbox_ask(struct mailbox *mail, enum request_kind kind, const uint64_t argument[4],
                uint64_t deadline)
{
    for (int i = 0; i < MAILBOX_SLOTS; i++) {
        struct request *r = &mail->slots[i];
        uint32_t state = REQUEST_FREE;

        if (!__atomic_compare_exchange_n(&r->state, &state, REQUEST_CLAIMED, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        r->kind = (uint32_t)kind;
        r->deadline = deadline;
        memcpy(r->argument, argument, sizeof(r->argument));
        memset(r->answer, 0, sizeof(r->answer));
        r->answered = 0;
        INVARIANT(mailbox_slot_is_valid(r));
        __atomic_store_n(&r->state, REQUEST_ASKED, __ATOMIC_RELEASE); /* acquired by mailbox_take */
        wake(&mail->word);
        return i;
    }
    return ERR_ABSENT;
}

enum request_state mailbox_collect(struct mailbox *mail, int slot, uint64_t answer[4])
{
    struct request *r = &mail->slots[slot];
    uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

    INVARIANT(slot >= 0 && slot < MAILBOX_SLOTS);
    /* Not read in time: withdraw the request, unless it is being answered right now. */
    if (state == REQUEST_ASKED && mailbox_clock() > r->deadline &&
        __atomic_compare_exchange_n(&r->state, &state, REQUEST_EXPIRED, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        state = REQUEST_EXPIRED;
    if (state == REQUEST_DONE || state == REQUEST_REFUSED || state == REQUEST_EXPIRED) {
        memcpy(answer, r->answer, sizeof(r->answer));
        __atomic_store_n(&r->state, REQUEST_FREE, __ATOMIC_RELEASE);
    }
    return (enum request_state)state;
}

void mailbox_release_round(struct mailbox *mail)
{
    uint32_t offered = ROUND_OFFERED;

    if (__atomic_compare_exchange_n(&mail->round, &offered, ROUND_RELEASED, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        wake(&mail->word);
}

bool mailbox_round_offered(const struct mailbox *mail)
{
    return __atomic_load_n(&mail->round, __ATOMIC_ACQUIRE) == ROUND_OFFERED;
}

void bell_wait(struct bell *bell, uint32_t seen, uint64_t timeout_ns)
{
    wait_word(&bell->word, seen, timeout_ns);
}

/* ---- the program's side ---- */

int mailbox_take(struct mailbox *mail, uint64_t now)
{
    for (int i = 0; i < MAILBOX_SLOTS; i++) {
        struct request *r = &mail->slots[i];
        uint32_t asked = REQUEST_ASKED;
        bool late;

        if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != REQUEST_ASKED)
            continue;
        late = now > r->deadline; /* the deadline is read after the state, so it belongs to this request */
        if (__atomic_compare_exchange_n(&r->state, &asked, late ? REQUEST_EXPIRED : REQUEST_TAKEN,
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
            !late)
            return i;
    }
    return -1;
}

void mailbox_answer(struct mailbox *mail, struct bell *bell, int slot, enum request_state state,
                    const uint64_t answer[4])
{
    struct request *r = &mail->slots[slot];

    INVARIANT(slot >= 0 && slot < MAILBOX_SLOTS);
    INVARIANT(state == REQUEST_DONE || state == REQUEST_REFUSED);
    memcpy(r->answer, answer, sizeof(r->answer));
    r->answered = mailbox_clock();
    __atomic_store_n(&r->state, (uint32_t)state, __ATOMIC_RELEASE); /* acquired by collect */
    bell_ring(bell);
}

void bell_ring(struct bell *bell)
{
    if (bell)
        wake(&bell->word);
}

/* The slot of this program, claimed if it has none yet; NULL: all are taken. If another process is
 * just writing a slot for the same program, the program gets two. */
static struct unwatched *unwatched_slot(struct bell *bell, uint32_t reason, const char *name,
                                        size_t length)
{
    for (size_t i = 0; i < UNWATCHED_SLOTS; i++) {
        struct unwatched *slot = &bell->unwatched[i];
        uint32_t seen = UNWATCHED_FREE;

        if (__atomic_compare_exchange_n(&slot->state, &seen, UNWATCHED_CLAIMED, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            slot->reason = reason;
            memcpy(slot->name, name, length);
            __atomic_store_n(&slot->state, UNWATCHED_READY, __ATOMIC_RELEASE);
            return slot;
        }
        if (seen == UNWATCHED_READY && slot->reason == reason &&
            strncmp(slot->name, name, length) == 0 && slot->name[length] == 0)
            return slot;
    }
    return NULL;
}

uint32_t *bell_count_unwatched(struct bell *bell, uint32_t reason, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct unwatched *slot =
        unwatched_slot(bell, reason, name, strnlen(name, UNWATCHED_NAME - 1));
    uint32_t *counter = slot ? &slot->starts : &bell->unwatched_more;

    (void)__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
    return counter;
}

bool bell_doctor_alive(const struct bell *bell, uint64_t now)
{
    const uint64_t beat = bell ? __atomic_load_n(&bell->heartbeat, __ATOMIC_ACQUIRE) : 0;

    return beat != 0 && (now < beat || now - beat < HEARTBEAT_STALE_NS);
}

/* How long the round may sleep. Work on a TAKEN request ends without waking us. */
static uint64_t round_slice(const struct mailbox *mail)
{
    for (int slot = 0; slot < MAILBOX_SLOTS; slot++)
        if (__atomic_load_n(&mail->slots[slot].state, __ATOMIC_ACQUIRE) == REQUEST_TAKEN)
            return 2000000u;
    return 50000000u;
}

void mailbox_last_round(struct mailbox *mail, struct bell *bell, void (*serve)(void))
{
    const uint64_t end = mailbox_clock() + LAST_ROUND_NS;
    uint64_t now = end - LAST_ROUND_NS;

    mail->round_deadline = end;
    __atomic_store_n(&mail->round, ROUND_OFFERED, __ATOMIC_RELEASE);
    bell_ring(bell);
    while (now < end && bell_doctor_alive(bell, now)) {
        const uint32_t seen = __atomic_load_n(&mail->word, __ATOMIC_ACQUIRE);
        uint64_t slice;

        serve();
        slice = round_slice(mail);
        if (__atomic_load_n(&mail->round, __ATOMIC_ACQUIRE) != ROUND_OFFERED)
            break;
        wait_word(&mail->word, seen, end - now < slice ? end - now : slice);
        now = mailbox_clock();
    }
    __atomic_store_n(&mail->round, ROUND_OVER, __ATOMIC_RELEASE);
}
