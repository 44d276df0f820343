/* test_shared.c - a finding that several processes have is shown once, with their number. */
#include "doctor/facts/diagnosis.h"
#include "report/shared.h"
#include "test.h"

static const struct place here = {.file = "a.py", .line = 3, .function = "f"};
static const struct place same = {.file = "a.py", .line = 3, .function = "f"};
static const struct place there = {.file = "a.py", .line = 9, .function = "g"};

static struct finding leak_at(const struct place *place)
{
    return (struct finding){.kind = KIND_retained, .allocated_at = place, .allocated_count = 1};
}

TEST(a_finding_of_several_processes_is_counted_at_the_first)
{
    const struct finding one = leak_at(&here), two[] = {leak_at(&there), leak_at(&same)};
    const struct process_report processes[] = {
        {.pid = 1},
        {.pid = 2, .findings = &one, .finding_count = 1},
        {.pid = 3, .findings = two, .finding_count = 2}};
    const struct diagnosis d = {.processes = processes, .process_count = 3};

    CHECK_EQ(shared_by(&d, 1, &one), 2);
    CHECK_EQ(shared_by(&d, 2, &two[1]), 0); /* process 2 was shown before */
    CHECK_EQ(shared_by(&d, 2, &two[0]), 1);
}

TEST(findings_that_differ_are_shown_in_each_process)
{
    struct finding one = leak_at(&here), other = leak_at(&same);
    const struct process_report processes[] = {{.findings = &one, .finding_count = 1},
                                               {.findings = &other, .finding_count = 1}};
    const struct diagnosis d = {.processes = processes, .process_count = 2};

    CHECK_EQ(shared_by(&d, 0, &one), 2);
    other.kind = KIND_native;
    CHECK_EQ(shared_by(&d, 0, &one), 1);
    CHECK_EQ(shared_by(&d, 1, &other), 1);
    other.kind = KIND_retained;
    other.note = true;
    CHECK_EQ(shared_by(&d, 0, &one), 1);
    other.note = false;
    other.stored_at = &there; /* made at the same line, stored at another */
    CHECK_EQ(shared_by(&d, 0, &one), 1);
    other.stored_at = NULL;
    one.allocated_count = other.allocated_count = 0; /* without a line nothing says that they are one */
    CHECK_EQ(shared_by(&d, 0, &one), 1);
    CHECK_EQ(shared_by(&d, 1, &other), 1);
}
