/* peek.c - see peek.h. */
#include "doctor/ask/peek.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FAR ((uint64_t)1 << 40) /* longer than any ledger: larger offsets are forged */

int peek_open(int directory, const char *name)
{
    return openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

bool peek_at(int fd, uint64_t at, void *out, size_t size)
{
    return fd >= 0 && at < FAR && pread(fd, out, size, (off_t)at) == (ssize_t)size;
}

bool peek_head(int fd, struct ledger_header *head)
{
    return peek_at(fd, 0, head, sizeof(*head)) &&
           memcmp(head->magic, LEDGER_MAGIC, sizeof(head->magic)) == 0 &&
           head->version == LEDGER_VERSION;
}

uint64_t peek_find(const struct ledger_header *head, enum section section, size_t record_size)
{
    const struct section_entry *entry = &head->table[section];

    return entry->number == (uint32_t)section && entry->record_size == record_size &&
                   entry->offset >= LEDGER_HEADER_SIZE && entry->offset < FAR
               ? entry->offset
               : 0;
}

/* A sum that forged numbers cannot turn over. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

struct peek_devices peek_devices(int fd, const struct ledger_header *head)
{
    const uint64_t at = peek_find(head, SECTION_devices, sizeof(struct device_record));
    struct device_record records[LEDGER_DEVICES];
    struct peek_devices all = {0};

    if (!at || !peek_at(fd, at, records, sizeof(records)))
        return all;
    for (size_t i = 0; i < LEDGER_DEVICES; i++) {
        const struct device_record *one = &records[i];

        if (one->kind == 0)
            continue;
        all.count++;
        all.used = sum(all.used, one->used);
        all.taken = sum(all.taken, one->taken > one->used ? one->taken : one->used);
    }
    return all;
}
