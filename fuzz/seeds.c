/* seeds.c - small ledgers as seeds for the fuzzer, made by the real writer: seeds DIRECTORY
 *
 * A ledger as the writer makes it is 38 MB long and mostly empty. A seed is the same ledger with
 * every section cut to its first records and moved up to the end of the one before it. The reader
 * accepts it, as it accepts any valid section table.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tests/unit/build_ledger.h"
#include "../tests/unit/test.h"
#include "ledger/levels.h"

static const char *directory;

const char *test_directory(void)
{
    return directory;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)fprintf(stderr, "%s:%d: ", file, line);
    (void)vfprintf(stderr, format, args);
    (void)fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

static uint64_t kept(const struct section_entry *entry, uint64_t most)
{
    const uint64_t limit = entry->number == SECTION_strings ? 8 * most : most;

    return entry->taken < limit ? entry->taken : limit;
}

/* Writes the packed ledger to DIRECTORY/name and removes the writer's own file. */
static void pack(struct ledger *ledger, const char *name, uint64_t most)
{
    static uint8_t page[LEDGER_HEADER_SIZE];
    struct ledger_header *head = (struct ledger_header *)(void *)page;
    char path[4096];
    uint64_t at = LEDGER_HEADER_SIZE;
    FILE *file;

    memcpy(page, ledger->head, sizeof(page));
    for (unsigned n = 0; n < LEDGER_SECTIONS_MAX; n++) {
        struct section_entry *entry = &head->table[n];

        if (entry->capacity == 0)
            continue;
        entry->capacity = entry->taken = kept(entry, most);
        entry->offset = at;
        at += entry->capacity * entry->record_size;
    }
    head->file_size = at;
    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    file = fopen(path, "wb");
    CHECK(file && fwrite(page, sizeof(page), 1, file) == 1);
    for (unsigned n = 0; n < LEDGER_SECTIONS_MAX; n++) {
        const struct section_entry *entry = &head->table[n];

        if (entry->capacity > 0)
            CHECK_EQ(fwrite(ledger_records(ledger, (enum section)n), entry->record_size,
                            (size_t)entry->capacity, file),
                     entry->capacity);
    }
    CHECK_EQ(fclose(file), 0);
    (void)unlink(ledger->path);
    ledger_close(ledger);
}

/* Steps in two levels, one of which is there twice. */
static void add_levels(struct ledger *ledger)
{
    struct level_record *levels = ledger_records(ledger, SECTION_step_levels);

    for (uint64_t i = 1; i <= LEVELS_FIRST + 20; i++) {
        const struct step_record step = build_step(i, i);

        CHECK(levels_append_step(ledger, &step));
    }
    levels[0].head -= 2;
    levels[0].tail -= 2;
}

int main(int argc, char **argv)
{
    struct ledger ledger;

    if (argc != 2)
        return 2;
    directory = argv[1];
    build_ledger(&ledger, "making", ROLE_PROCESS);
    pack(&ledger, "empty-process", 8);
    build_small_process(&ledger, "making");
    pack(&ledger, "small-process", 48);
    build_ledger(&ledger, "making", ROLE_PROCESS);
    add_levels(&ledger);
    pack(&ledger, "steps", LEVELS_FIRST + 4);
    build_small_run(&ledger, "making");
    pack(&ledger, "small-run", 40);
    return 0;
}
