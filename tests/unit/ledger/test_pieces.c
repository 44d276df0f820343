/* test_pieces.c - a ledger takes address space as it takes room, and never another's. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_ledger.h"
#include "ledger/pieces.h"
#include "test.h"

#define PAGE 4096

static bool is_mapped(const void *address)
{
    unsigned char in_memory;
    const uintptr_t page = (uintptr_t)address & ~(uintptr_t)(PAGE - 1);

    return mincore((void *)page, PAGE, &in_memory) == 0 || errno != ENOMEM;
}

/* The first byte behind what is mapped of a section. */
static char *end_of(const struct ledger *ledger, enum section section)
{
    return (char *)ledger_records(ledger, section) + (size_t)ledger->pieces.pages[section] * PAGE;
}

TEST(pieces_map_no_more_than_was_taken)
{
    struct ledger ledger;
    uint64_t mapped = 0, bytes;
    void *start;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    CHECK(!ledger.pieces.whole);
    for (unsigned i = 0; pieces_next(&ledger.pieces, ledger.head, i, &start, &bytes); i++) {
        CHECK(bytes == 0 || is_mapped(start));
        mapped += bytes;
    }
    CHECK(mapped < 2 << 20);
    CHECK(ledger.size > 50 << 20);
    CHECK(!is_mapped(end_of(&ledger, SECTION_stacks)));
    ledger_close(&ledger);
}

TEST(pieces_grow_without_moving)
{
    struct ledger ledger;
    struct stack_record *records;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    records = ledger_records(&ledger, SECTION_stacks);
    records[5].offset = 4711;
    CHECK(ledger_take(&ledger, SECTION_stacks, 100000));
    CHECK(ledger_records(&ledger, SECTION_stacks) == records);
    records[99999].offset = 4712;
    CHECK_EQ(records[5].offset, 4711);
    CHECK_EQ(ledger_entry(&ledger, SECTION_stacks)->taken >= 100000, true);
    ledger_close(&ledger);
    CHECK(!is_mapped(&records[5]));
    CHECK(!is_mapped(&records[99999]));
}

TEST(pieces_stop_where_another_mapping_lies)
{
    const struct lost_record *lost;
    struct ledger ledger;
    char *end, *others;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    end = end_of(&ledger, SECTION_stacks);
    others = mmap(end, PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(others == end);
    memset(others, 'x', PAGE);
    CHECK(!ledger_take(&ledger, SECTION_stacks, 100000));
    lost = ledger_records(&ledger, SECTION_lost);
    CHECK_EQ(lost[LOST_space_refused].count, 1);
    CHECK_EQ(others[0], 'x');
    ledger_close(&ledger);
    CHECK_EQ(others[PAGE - 1], 'x'); /* nor unmapped with the ledger */
}

/* Fills a section up to this record and says whether all of it can be read back. */
static bool fill(struct ledger *ledger, uint64_t count)
{
    struct death_record *records = ledger_records(ledger, SECTION_deaths);

    if (!ledger_take(ledger, SECTION_deaths, count))
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (records[i].death != 0 && records[i].death != i + 1)
            return false; /* what the kernel wrote to take the page was left there */
        else
            records[i].death = i + 1;
    return true;
}

TEST(pieces_grow_without_the_file)
{
    const struct death_record *records;
    struct ledger ledger;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    CHECK_EQ(ledger_entry(&ledger, SECTION_deaths)->taken, 0);
    ledger_detach(&ledger, true);
    CHECK_EQ(ledger_entry(&ledger, SECTION_deaths)->taken, 1);
    CHECK_EQ(unlink(ledger.path), 0); /* nothing is opened by its path any more */
    records = ledger_records(&ledger, SECTION_deaths);
    for (uint64_t count = 1; count <= 20000; count = count * 3 + 1)
        CHECK(fill(&ledger, count));
    CHECK(records == ledger_records(&ledger, SECTION_deaths));
    CHECK_EQ(records[0].death, 1);
    ledger_close(&ledger);
    CHECK(!is_mapped(&records[9000]));
}

TEST(pieces_stop_where_another_mapping_lies_without_the_file)
{
    struct ledger ledger;
    char *end, *others;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    ledger_detach(&ledger, true);
    end = end_of(&ledger, SECTION_stacks);
    others = mmap(end, PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(others == end);
    memset(others, 'x', PAGE);
    CHECK(!ledger_take(&ledger, SECTION_stacks, 100000));
    CHECK_EQ(others[0], 'x');
    ledger_close(&ledger);
    CHECK_EQ(others[PAGE - 1], 'x');
}

TEST(pieces_survive_a_page_that_cannot_be_had_without_the_file)
{
    struct ledger ledger;
    uint64_t end;

    /* The last section of the file: what lies before it stays. */
    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    ledger_detach(&ledger, true);
    end = ledger_entry(&ledger, SECTION_phases)->offset +
          (uint64_t)ledger.pieces.pages[SECTION_phases] * PAGE;
    CHECK_EQ(truncate(ledger.path, (off_t)end), 0); /* a store behind it would end us, as on a full disk */
    CHECK(!ledger_take(&ledger, SECTION_phases, 4000));
    CHECK(ledger_entry(&ledger, SECTION_phases)->taken < 4000);
    CHECK_EQ(truncate(ledger.path, (off_t)ledger.size), 0);
    ledger.refused = 0;
    CHECK(ledger_take(&ledger, SECTION_phases, 4000));
    ledger_close(&ledger);
}

TEST(a_ledger_that_is_gone_is_not_written_to)
{
    struct ledger ledger;

    build_ledger(&ledger, "1.0.tare", ROLE_PROCESS);
    CHECK_EQ(unlink(ledger.path), 0);
    errno = EACCES;
    CHECK(!ledger_take(&ledger, SECTION_stacks, 100000));
    ledger_close(&ledger);
}
