/* status.c - see status.h. */
#include "run/output/status.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "ledger/mailbox.h"
#include "ledger/writer.h"

#define INTERVAL_NS 500000000ull
#define LINE_MAX_SHOWN 200

void status_init(struct status *status, bool wanted)
{
    memset(status, 0, sizeof(*status));
    status->on = wanted && isatty(STDERR_FILENO);
    status->next = mailbox_clock() + INTERVAL_NS;
}

static void put(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* May we write on the terminal? Only in the foreground, and while no full-screen program uses it. */
static bool terminal_is_free(void)
{
    struct termios mode;

    return tcgetpgrp(STDERR_FILENO) == getpgrp() && tcgetattr(STDERR_FILENO, &mode) == 0 &&
           (mode.c_lflag & ICANON);
}

void status_clear(struct status *status)
{
    if (status->shown && terminal_is_free())
        put("\r\033[K");
    status->shown = false;
}

static void forget_ledger(struct status *status)
{
    if (status->map)
        (void)munmap(status->map, status->size);
    status->map = NULL;
}

void status_fini(struct status *status)
{
    status_clear(status);
    forget_ledger(status);
    status->on = false;
}

/* Follows the root through exec: a new generation is a new ledger. */
static void open_ledger(struct status *status, const char *directory, int pid, uint32_t generation)
{
    char name[LEDGER_NAME_MAX], path[sizeof(status->path)];
    struct stat info;
    int fd;

    ledger_name(name, (uint32_t)pid, generation, LEDGER_SUFFIX);
    (void)snprintf(path, sizeof(path), "%.4100s/%s", directory, name);
    if (status->map && strcmp(path, status->path) == 0)
        return;
    forget_ledger(status);
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && info.st_size >= LEDGER_HEADER_SIZE) {
        status->size = (uint64_t)info.st_size;
        status->map = mmap(NULL, status->size, PROT_READ, MAP_SHARED, fd, 0);
        if (status->map == MAP_FAILED)
            status->map = NULL;
    }
    (void)close(fd);
    (void)snprintf(status->path, sizeof(status->path), "%s", path);
}

/* Steps are ticks of the busiest clock other than time; without one, none are shown. */
static bool read_ledger(const struct status *status, uint64_t *steps, uint64_t *live)
{
    struct totals_record totals;
    struct reader reader;
    struct why why;

    if (!status->map || reader_init(&reader, status->map, status->size, &why) != 0 ||
        !reader_get(&reader, SECTION_totals, 0, &totals, sizeof(totals)))
        return false;
    *steps = *live = 0;
    for (unsigned clock = 1; clock < LEDGER_CLOCKS; clock++)
        *steps = totals.clock[clock] > *steps ? totals.clock[clock] : *steps;
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        *live += totals.classes[c].born_bytes - totals.classes[c].dead_bytes;
    return true;
}

static void draw(struct status *status, const char *line)
{
    struct winsize size = {.ws_col = 80};
    char shown[LINE_MAX_SHOWN + 16];
    int width;

    (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    width = size.ws_col > 1 ? size.ws_col - 1 : 79;
    if (width > LINE_MAX_SHOWN)
        width = LINE_MAX_SHOWN;
    (void)snprintf(shown, sizeof(shown), "\r%.*s\033[K", width, line);
    put(shown);
    status->shown = true;
}

void status_show(struct status *status, const char *directory, int pid, uint32_t generation,
                 uint64_t resident, uint64_t elapsed_ns)
{
    const uint64_t now = mailbox_clock(), seconds = elapsed_ns / 1000000000u;
    char size[TEXT_SIZE_MAX], line[LINE_MAX_SHOWN];
    uint64_t steps, live;
    int length = 0;

    if (!status->on || now < status->next)
        return;
    status->next = now + INTERVAL_NS;
    if (!terminal_is_free())
        return;
    if (directory)
        open_ledger(status, directory, pid, generation);
    (void)text_size(size, resident);
    if (read_ledger(status, &steps, &live)) {
        char held[TEXT_SIZE_MAX];

        (void)text_size(held, live);
        if (steps)
            length = snprintf(line, sizeof(line), "tare: %llu steps, ", (unsigned long long)steps);
        else
            length = snprintf(line, sizeof(line), "tare: ");
        length += snprintf(line + length, sizeof(line) - (size_t)length, "%s live, ", held);
    } else {
        length = snprintf(line, sizeof(line), "tare: ");
    }
    (void)snprintf(line + length, sizeof(line) - (size_t)length, "%s resident, %llu:%02llu", size,
                   (unsigned long long)seconds / 60, (unsigned long long)seconds % 60);
    draw(status, line);
}
