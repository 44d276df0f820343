/* test_cgroup.c - limits of both versions, read from a made-up tree. */
#include <stdlib.h>
#include <sys/stat.h>

#include "run/system/cgroup.h"
#include "test.h"

static struct cgroup cgroup; /* large */

static void put(const char *path, const char *text)
{
    char full[512];
    FILE *file;

    (void)snprintf(full, sizeof(full), "%s/%s", test_directory(), path);
    for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    file = fopen(full, "w");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    CHECK_EQ(fclose(file), 0);
}

static const char *in_tree(const char *path)
{
    static char full[512];

    (void)snprintf(full, sizeof(full), "%s/%s", test_directory(), path);
    return full;
}

TEST(cgroup_version_2_counts_every_ancestor)
{
    uint64_t kills = 0;

    put("proc/self/cgroup", "0::/user/job\n");
    put("proc/self/mountinfo", "24 1 0:1 / /proc rw - proc proc rw\n"
                               "29 1 0:2 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/user/job/memory.max", "max\n");
    put("sys/fs/cgroup/user/memory.max", "1000000\n");
    put("sys/fs/cgroup/user/memory.current", "700000\n");
    put("sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 200000\nactive_file 7\n");
    put("sys/fs/cgroup/memory.max", "5000000\n");
    put("sys/fs/cgroup/user/job/memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\n");
    cgroup_find(&cgroup, test_directory());
    CHECK_EQ(cgroup.version, 2);
    CHECK_TEXT(cgroup.own, in_tree("sys/fs/cgroup/user/job"));
    CHECK_EQ(cgroup.limit_count, 2);
    CHECK_EQ(cgroup.limits[0].bytes, 1000000);
    CHECK_TEXT(cgroup.limits[0].path, in_tree("sys/fs/cgroup/user"));
    CHECK_EQ(cgroup.limits[1].bytes, 5000000);
    CHECK_EQ(cgroup_used(&cgroup, cgroup.limits[0].path), 500000);
    CHECK(cgroup_kills(&cgroup, &kills));
    CHECK_EQ(kills, 2);
}

TEST(cgroup_version_1_is_found_beside_an_empty_version_2)
{
    uint64_t kills = 0;

    put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/box/a\n1:cpu:/\n0::/\n");
    put("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
                               "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("sys/fs/cgroup/memory/box/a/memory.limit_in_bytes", "300\n");
    put("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/box/a/memory.usage_in_bytes", "250\n");
    put("sys/fs/cgroup/memory/box/a/memory.stat",
        "hierarchical_memory_limit 200\ninactive_file 1\ntotal_inactive_file 50\n");
    put("sys/fs/cgroup/memory/box/a/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
    cgroup_find(&cgroup, test_directory());
    CHECK_EQ(cgroup.version, 1);
    CHECK_EQ(cgroup.limit_count, 2); /* its own, and the least one of an ancestor we cannot see */
    CHECK_EQ(cgroup.limits[0].bytes, 300);
    CHECK_EQ(cgroup.limits[1].bytes, 200);
    CHECK_EQ(cgroup_used(&cgroup, cgroup.own), 200);
    CHECK(cgroup_kills(&cgroup, &kills));
    CHECK_EQ(kills, 7);
}

TEST(cgroup_of_a_container_lies_at_the_mount)
{
    put("proc/self/cgroup", "0::/docker/abc\n");
    put("proc/self/mountinfo", "29 1 0:2 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    put("sys/fs/cgroup/memory.max", "4096\n");
    cgroup_find(&cgroup, test_directory());
    CHECK_TEXT(cgroup.own, in_tree("sys/fs/cgroup"));
    CHECK_EQ(cgroup.limit_count, 1);
    CHECK_EQ(cgroup.limits[0].bytes, 4096);
}

TEST(cgroup_outside_of_what_is_mounted_falls_back_to_the_mount)
{
    put("proc/self/cgroup", "0::/../../elsewhere\n");
    put("proc/self/mountinfo", "29 1 0:2 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    put("sys/fs/cgroup/memory.max", "4096\n");
    cgroup_find(&cgroup, test_directory());
    CHECK_TEXT(cgroup.own, in_tree("sys/fs/cgroup"));
    CHECK_EQ(cgroup.limit_count, 1);
}

TEST(cgroup_absent_is_no_limit)
{
    uint64_t kills;

    cgroup_find(&cgroup, test_directory());
    CHECK_EQ(cgroup.version, 0);
    CHECK_EQ(cgroup.limit_count, 0);
    CHECK_EQ(cgroup_used(&cgroup, "/"), 0);
    CHECK(!cgroup_kills(&cgroup, &kills));
    put("proc/self/cgroup", "nonsense\n0:\n");
    put("proc/self/mountinfo", "nonsense\n - \n");
    cgroup_find(&cgroup, test_directory());
    CHECK_EQ(cgroup.version, 0);
}
