/* regions.c - see regions.h. */
#include "probe/copy/regions.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/quiet.h"
#include "probe/unwind/module_place.h"

#define LINE_MAX_BYTES 4352
#define PAGE 4096ul
#define WINDOW 512 /* pages of one look into pagemap */
#define CONTROL_BLOCK 2304 /* bytes of a thread's own record in glibc, above its stack */

struct line {
    uintptr_t start, end;
    bool readable, writable, private_map, has_file;
    const char *path;
};

static uint64_t number(const char **at, unsigned base)
{
    uint64_t value = 0;

    for (;; (*at)++) {
        const char c = **at;
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : 99;

        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

static void skip_field(const char **at)
{
    while (**at == ' ')
        (*at)++;
    while (**at && **at != ' ')
        (*at)++;
}

/* "start-end perms offset device inode path" */
static void parse(struct line *line, const char *text)
{
    const char *at = text;

    line->start = number(&at, 16);
    at += *at == '-';
    line->end = number(&at, 16);
    at += *at == ' ';
    line->readable = at[0] == 'r';
    line->writable = at[0] == 'r' && at[1] == 'w';
    line->private_map = at[0] && at[1] && at[2] && at[3] == 'p';
    skip_field(&at); /* permissions */
    skip_field(&at); /* offset */
    skip_field(&at); /* device */
    skip_field(&at); /* inode */
    while (*at == ' ')
        at++;
    line->path = at;
    line->has_file = *at == '/';
}

static bool is_system(const char *path)
{
    return strstr(path, "/libc.so") || strstr(path, "/libc-") || strstr(path, "/ld-linux") ||
           strstr(path, "/libpthread");
}

static bool is_probe(const char *path)
{
    return strstr(path, "/libtare-probe.so") || strstr(path, "/node/tare_node.node");
}

/* Reading a device may do something. */
static bool is_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0 &&
           strncmp(path, "/dev/zero", 9) != 0;
}

/* The top of the thread's stack that this memory begins with; 0: it holds none. */
static uintptr_t top_in(const struct line *line, const uintptr_t *tops, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tops[i] - 1 >= line->start && tops[i] - 1 < line->end)
            return tops[i];
    return 0;
}

/* What follows a module's file without a gap is its zeroed data. */
struct before {
    uintptr_t end;
    enum region_kind kind; /* 0: leave out what follows */
    bool module;
};

static bool follows(const struct line *line, const struct before *before)
{
    return !line->has_file && before->module && before->end == line->start;
}

static enum region_kind kind_of(const struct line *line, const struct before *before,
                                const uintptr_t *tops, size_t top_count)
{
    if (line->has_file)
        return is_probe(line->path)    ? REGION_PROBE
               : is_system(line->path) ? REGION_SYSTEM
                                       : REGION_MODULE;
    if (strncmp(line->path, "[heap]", 6) == 0)
        return REGION_HEAP;
    if (strncmp(line->path, "[stack", 6) == 0 ||
        top_in(line, tops, top_count))
        return REGION_STACK;
    if (line->path[0] == '[' && strncmp(line->path, "[anon", 5) != 0)
        return 0;
    if (follows(line, before))
        return before->kind;
    return REGION_MEMORY;
}

struct reading {
    struct regions *regions;
    const uintptr_t *tops;
    size_t top_count;
    struct before before;
};

/* Advice to the kernel about a part of a mapping (NumPy asks for huge pages behind the first page of
 * a large array) makes lines of what is one block. Where an arena may begin, a region does. */
static bool goes_on(const struct regions *regions, uintptr_t start, enum region_kind kind)
{
    const struct region *last = regions->count ? &regions->list[regions->count - 1] : NULL;

    return last && last->end == start && last->kind == kind &&
           (kind == REGION_HEAP ||
            (kind == REGION_MEMORY && start % REGIONS_ARENA_ALIGN != 0));
}

static void add_region(struct regions *regions, uintptr_t start, uintptr_t end,
                       enum region_kind kind)
{
    if (start < end && goes_on(regions, start, kind))
        regions->list[regions->count - 1].end = end;
    else if (start < end && regions->count < regions->room)
        regions->list[regions->count++] = (struct region){start, end, kind};
}

/* Where the module ends that the memory before this address belongs to: other memory may follow its
 * zeroed data, and is then shown as one with it. */
static uintptr_t module_end(uintptr_t start, uintptr_t end)
{
    struct module_place place;
    uintptr_t last;

    if (!module_place_find(start - 1, &place))
        return module_place_is_snapshot() ? end : start; /* a file of data */
    last = (place.end + PAGE - 1) & ~(PAGE - 1);
    return last < start ? start : last < end ? last : end;
}

/* A thread's stack ends with its control block. Other memory may follow without a gap, and is then
 * shown as one with it. */
static uintptr_t stack_end(const struct line *line, const uintptr_t *tops, size_t count)
{
    const uintptr_t top = top_in(line, tops, count);
    const uintptr_t end = (top + CONTROL_BLOCK + PAGE - 1) & ~(PAGE - 1);

    return top && end < line->end ? end : line->end;
}

static void take_line(struct reading *reading, const char *text)
{
    struct regions *regions = reading->regions;
    const struct before before = reading->before;
    enum region_kind kind;
    struct line line;
    uintptr_t end;

    parse(&line, text);
    kind = kind_of(&line, &before, reading->tops, reading->top_count);
    end = line.end;
    if (follows(&line, &before) && kind == before.kind)
        end = module_end(line.start, line.end);
    if (kind == REGION_STACK)
        end = stack_end(&line, reading->tops, reading->top_count);
    reading->before = (struct before){
        line.end, kind, line.has_file || (follows(&line, &before) && end == line.end)};
    if (!kind || !line.readable || is_device(line.path))
        return;
    if (!line.writable || !line.private_map)
        kind = REGION_CONSTANT;
    add_region(regions, line.start, end, kind);
    add_region(regions, end, line.end, kind == REGION_CONSTANT ? kind : REGION_MEMORY);
}

bool regions_read(struct regions *regions, const uintptr_t *tops, size_t top_count)
{
    struct reading reading = {regions, tops, top_count, {0, 0, false}};
    const int fd = quiet_open(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    char text[LINE_MAX_BYTES];
    size_t held = 0;
    long got;

    if (fd < 0)
        return false;
    while ((got = quiet_read(fd, text + held, sizeof(text) - 1 - held)) > 0) {
        char *line = text, *end;

        held += (size_t)got;
        text[held] = '\0';
        while ((end = strchr(line, '\n'))) {
            *end = '\0';
            take_line(&reading, line);
            line = end + 1;
        }
        held -= (size_t)(line - text);
        memmove(text, line, held);
        if (held == sizeof(text) - 1)
            held = 0; /* no path is that long */
    }
    quiet_close(fd);
    return regions->count > 0;
}

uintptr_t regions_heap_end(const struct region *region)
{
    size_t size;

    if (region->start % REGIONS_ARENA_ALIGN != 0)
        return region->end;
    size = ((const size_t *)region->start)[2]; /* heap_info.size */
    return size % PAGE == 0 && size > 0 && size <= region->end - region->start
               ? region->start + size
               : region->end;
}

static int pagemap = -1;              /* open only while it is being read */
static uintptr_t first = UINTPTR_MAX; /* page that entries[0] describes */
static uint64_t entries[WINDOW];

void regions_close(void)
{
    if (pagemap >= 0)
        quiet_close(pagemap);
    pagemap = -1;
    first = UINTPTR_MAX;
}

bool regions_page_present(uintptr_t page)
{
    const uintptr_t index = page / PAGE;

    if (pagemap == -1)
        pagemap = quiet_open(AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    if (pagemap < 0)
        return true;
    if (index / WINDOW * WINDOW != first) {
        first = index / WINDOW * WINDOW;
        memset(entries, 0xff, sizeof(entries));
        if (quiet_read_at(pagemap, entries, sizeof(entries), first * sizeof(entries[0])) <= 0)
            memset(entries, 0xff, sizeof(entries));
    }
    return entries[index % WINDOW] >> 62 != 0; /* present or swapped */
}

uint64_t regions_resident(uintptr_t start, uintptr_t end)
{
    uint64_t bytes = 0;

    for (uintptr_t at = start; at < end;) {
        const uintptr_t next = (at & ~(PAGE - 1)) + PAGE, stop = next < end ? next : end;

        if (regions_page_present(at))
            bytes += stop - at;
        at = stop;
    }
    return bytes;
}
