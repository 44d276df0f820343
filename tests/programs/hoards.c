/* hoards.c - takes memory in ways that the number of live blocks does not show.
 *
 * `hoards chunks`: a parser keeps 2.4 KB of each document, in few and ever larger blocks.
 * `hoards own`:    an allocator of its own takes regions from the kernel, without the C library.
 * `hoards file`:   a large file is mapped and read, a part at a time.
 * `hoards fill SECONDS`: 50 MB are filled from a socket; then the program waits for that long.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DOCUMENT 2400
#define DOCUMENTS 18000
#define REGION (32ul << 20)
#define ENTRY 1000
#define ENTRIES 50000

/* ---- few, ever larger blocks ---- */

struct chunk {
    struct chunk *next;
    size_t room, used;
};

static struct chunk *chunks;

static void keep(const char *text, size_t length)
{
    if (!chunks || chunks->room - chunks->used < length) {
        const size_t room = chunks ? chunks->room * 5 / 4 : 1 << 20;
        struct chunk *chunk = malloc(sizeof(*chunk) + room);

        *chunk = (struct chunk){.next = chunks, .room = room};
        chunks = chunk;
    }
    memcpy((char *)(chunks + 1) + chunks->used, text, length);
    chunks->used += length;
}

static void parse(void)
{
    for (int i = 0; i < DOCUMENTS; i++) {
        char *words = memset(malloc(2 * DOCUMENT), i, 2 * DOCUMENT);

        keep(words, DOCUMENT);
        free(words);
        if (i % 20 == 0)
            usleep(3000);
    }
}

/* ---- regions of its own ---- */

static void *take(size_t size)
{
    static char *at, *end;

    if ((size_t)(end - at) < size) {
        at = (char *)syscall(SYS_mmap, NULL, REGION, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        end = at + REGION;
    }
    at += size;
    return memset(at - size, 1, size);
}

static void take_all(void)
{
    for (int i = 0; i < 2500; i++) {
        (void)take(60000);
        usleep(1000);
    }
}

/* ---- pages of a file ---- */

static void read_file(void)
{
    const size_t size = 96ul << 20;
    char name[] = "hoards-XXXXXX", part[4096] = {1};
    const int fd = mkstemp(name);
    volatile const char *bytes;

    unlink(name);
    for (size_t i = 0; i < size; i += sizeof(part))
        if (write(fd, part, sizeof(part)) < 0)
            exit(1);
    bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    for (size_t i = 0; i < size; i += 4096) {
        (void)bytes[i];
        if (i % (96 * 4096) == 0)
            usleep(10000);
    }
}

/* ---- filled, and then silent ---- */

static void send_all(int to, unsigned seconds)
{
    char entry[ENTRY] = {1};

    for (int i = 0; i < ENTRIES; i++) {
        if (write(to, entry, ENTRY) != ENTRY)
            _exit(1);
        if (i % 17 == 0)
            usleep(1000);
    }
    sleep(seconds);
    _exit(0);
}

static void fill(unsigned seconds)
{
    char **store = calloc(ENTRIES, sizeof(*store)), entry[ENTRY];
    size_t count = 0, have = 0;
    ssize_t got;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        exit(1);
    if (fork() == 0) {
        close(ends[0]);
        send_all(ends[1], seconds);
    }
    close(ends[1]);
    while ((got = read(ends[0], entry + have, ENTRY - have)) > 0) {
        have += (size_t)got;
        if (have < ENTRY)
            continue;
        store[count++] = memcpy(malloc(ENTRY), entry, ENTRY);
        have = 0;
    }
    exit(store[count - 1][0] == 1 ? 0 : 1);
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";

    if (strcmp(how, "chunks") == 0)
        parse();
    else if (strcmp(how, "own") == 0)
        take_all();
    else if (strcmp(how, "file") == 0)
        read_file();
    else if (strcmp(how, "fill") == 0 && count > 2)
        fill((unsigned)atoi(words[2]));
    else
        return 2;
    return 0;
}
